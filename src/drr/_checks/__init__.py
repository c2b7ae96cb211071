"""Arguments, checked once at the door of each public function."""
