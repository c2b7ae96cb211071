"""The style sheet: light and dark screens, phones and paper."""

from __future__ import annotations

STYLE = """
:root {
  color-scheme: light dark;
  --paper: #ffffff; --raised: #f6f7f9; --ink: #1b1f24; --soft: #5a6472; --rule: #dfe3e8; --grid: #eceff3;
  --shade: #1b1f2438;
  --base: #6b7686; --dual: #c2640a; --fused: #1f5fd0; --good: #1a7f4b; --bad: #b3261e;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #12161c; --raised: #1a2029; --ink: #e8ebf0; --soft: #a3adba; --rule: #313a46; --grid: #232b35;
    --shade: #000000b0;
    --base: #9aa6b6; --dual: #f2a65a; --fused: #7db0ff; --good: #5fce93; --bad: #ff8a80;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif;
}
main, header, footer { max-width: 64rem; margin: 0 auto; padding: 0 1.1rem; }
header { padding-top: 2.2rem; }
h1 { font-size: clamp(1.5rem, 4.5vw, 2.1rem); line-height: 1.2; margin: 0 0 .3rem; letter-spacing: -.01em; }
h2 { font-size: 1.28rem; line-height: 1.3; margin: 0 0 .6rem; }
section { padding: 1.6rem 0 .8rem; border-top: 1px solid var(--rule); }
p { max-width: 46rem; margin: .4rem 0 .9rem; }
.lead { color: var(--soft); overflow-wrap: anywhere; }
.verdict { font-size: 1.15rem; max-width: 46rem; margin: 1.2rem 0; }
.warning { border-left: 4px solid var(--dual); padding: .4rem .9rem; background: var(--raised); }
nav ul {
  list-style: none; display: flex; flex-wrap: wrap; gap: .3rem 1rem; padding: 0; margin: 1rem 0 1.4rem;
  font-size: .93rem;
}
a { color: var(--fused); text-decoration: none; } a:hover, a:focus { text-decoration: underline; }
.cards {
  display: grid; grid-template-columns: repeat(auto-fit, minmax(9.2rem, 1fr)); gap: .8rem; padding: 0;
  margin: 1.2rem 0; list-style: none;
}
.cards li { background: var(--raised); border: 1px solid var(--rule); border-radius: .6rem; padding: .8rem 1rem; }
.cards b {
  display: block; font-size: 1.45rem; line-height: 1.25; font-variant-numeric: tabular-nums;
  font-weight: 650;
}
.cards span { color: var(--soft); font-size: .88rem; }
.good b { color: var(--good); } .bad b { color: var(--bad); }
.figures {
  display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 25rem), 1fr));
  gap: 1.2rem 1.6rem; align-items: start;
}
figure { margin: .4rem 0 1rem; min-width: 0; max-width: 38rem; }
figure svg:not(.key) { width: 100%; height: auto; display: block; }
figcaption { color: var(--soft); font-size: .9rem; margin-top: .3rem; }
.legend {
  list-style: none; display: flex; flex-wrap: wrap; gap: .1rem 1.1rem; padding: 0; margin: .2rem 0;
  font-size: .9rem;
}
.legend svg.key { width: 1.7rem; height: .7rem; margin-right: .4rem; }
svg text { fill: var(--soft); font-size: 12px; font-family: inherit; } svg text.axis { fill: var(--ink); }
.grid { stroke: var(--grid); fill: none; } .frame { stroke: var(--soft); fill: none; }
.line { fill: none; stroke: var(--soft); stroke-width: 2; stroke-linejoin: round; }
.line.base { stroke: var(--base); stroke-dasharray: 6 3; }
.line.dual { stroke: var(--dual); stroke-dasharray: 2 3; }
.line.fused { stroke: var(--fused); stroke-width: 2.4; } .line.thin { stroke-width: 1.2; }
.line.guide { stroke: var(--soft); stroke-width: 1.1; stroke-dasharray: 4 4; }
.line.solid { stroke-dasharray: none; }
.band { stroke: none; opacity: .16; }
.band.base { fill: var(--base); }
.band.dual { fill: var(--dual); }
.band.fused { fill: var(--fused); }
.dot { fill: var(--soft); }
.dot.base { fill: var(--base); }
.dot.dual { fill: var(--dual); }
.dot.fused { fill: var(--fused); }
.dot.hollow { fill: var(--paper); stroke: var(--base); stroke-width: 2; }
.bar { fill: var(--fused); } .bar.dual { fill: var(--dual); } .bar.base { fill: var(--base); }
/* A shadow at an edge says that the table continues there; the local covers hide it at the end. */
.scroll {
  overflow-x: auto; margin: .6rem 0 1.2rem;
  background:
    linear-gradient(90deg, var(--paper) 30%, transparent) left / 2rem 100% no-repeat local,
    linear-gradient(270deg, var(--paper) 30%, transparent) right / 2rem 100% no-repeat local,
    linear-gradient(90deg, var(--shade), transparent) left / .8rem 100% no-repeat,
    linear-gradient(270deg, var(--shade), transparent) right / .8rem 100% no-repeat;
}
table { border-collapse: collapse; font-size: .93rem; min-width: min(100%, 26rem); }
caption { text-align: left; color: var(--soft); padding-bottom: .35rem; font-size: .9rem; }
th, td {
  text-align: left; padding: .34rem .9rem .34rem 0; border-bottom: 1px solid var(--rule);
  vertical-align: top;
}
th { font-weight: 600; } thead th { color: var(--soft); border-bottom-width: 2px; white-space: nowrap; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; padding-left: .6rem; }
footer {
  color: var(--soft); font-size: .88rem; padding-top: 1rem; padding-bottom: 2.5rem;
  border-top: 1px solid var(--rule);
}
/* On a phone the cells wrap and the first column stays in view: no column is cut off unseen. */
@media (max-width: 40rem) {
  table { font-size: .77rem; min-width: 100%; }
  th, td { padding-right: .3rem; }
  thead th, .number { white-space: normal; padding-left: .2rem; }
  td:first-child, th:first-child { position: sticky; left: 0; background: var(--paper); padding-left: 0; }
}
@media print {
  :root {
    --paper: #fff; --raised: #f6f7f9; --ink: #000; --soft: #444; --rule: #ccc; --grid: #eee;
    --base: #6b7686; --dual: #c2640a; --fused: #1f5fd0; --good: #1a7f4b; --bad: #b3261e;
  }
  html { font-size: 9.5pt; } body { font-size: 9.5pt; } nav { display: none; } section { padding: .8rem 0 .4rem; }
  /* A heading, its text and the figures below it stay on one page. */
  h2, h2 ~ p { break-after: avoid; } p { break-inside: avoid; }
  .figures { display: flow-root; break-inside: avoid; }
  .figures > * { float: left; width: 48%; margin-right: 2%; break-inside: avoid; }
  figure, .cards, tr { break-inside: avoid; } caption { break-after: avoid; }
  .scroll { overflow: visible; background: none; break-inside: avoid; }
  table { font-size: 8pt; } thead th { white-space: normal; } .number { padding-left: .3rem; }
  th, td { padding: .2rem .4rem .2rem 0; }
}
"""
