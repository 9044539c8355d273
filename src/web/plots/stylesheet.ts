/** Severities differ in lightness, too, so that they can be told apart without colors. */
export const plotStyles = `:root { --critical: #8c0f1c; --high: #d9484f; --medium: #d9962b; --low: #6f86a6; --info: #a9b8cc; }
@media (prefers-color-scheme: dark) { :root { --critical: #ff8f8f; --high: #d4474f; --medium: #c98a2c; --low: #7488a5; --info: #4d5f79; } }
.plots { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 12px; margin: 12px 0 20px; }
.plots > :first-child { grid-column: 1 / -1; }
.plot { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 12px 16px; }
.plot-head { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 12px; margin-bottom: 6px; }
.plot-head h3 { margin: 0; } .plot-head p { margin: 0; font-size: 13px; color: var(--soft); } .plot-head strong { color: var(--text); font-size: 15px; }
.plot-head nav { margin-left: auto; font-size: 13px; } .plot-head nav a { display: inline-block; padding: 2px 6px; } .plot-head [aria-current="true"] { color: var(--text); font-weight: 600; text-decoration: none; }
.chart { display: block; overflow: visible; margin-left: 32px; width: calc(100% - 32px); shape-rendering: crispEdges; }
.chart text { font-size: 11px; fill: var(--soft); font-variant-numeric: tabular-nums; }
.chart circle { shape-rendering: auto; stroke: var(--card); }
.grid { stroke: var(--line); } .base { stroke: var(--edge); } .cut { stroke: var(--card); stroke-width: 2; }
[id^="ends-"] .chart { margin-left: 52px; width: calc(100% - 60px); }
.legend { display: flex; flex-wrap: wrap; gap: 0 14px; margin: 4px 0 0; padding: 0; list-style: none; font-size: 12.5px; color: var(--soft); }
.key { display: inline-block; width: 10px; height: 10px; margin-right: 5px; border-radius: 2px; print-color-adjust: exact; }
.s-critical { fill: var(--critical); background: var(--critical); } .s-high { fill: var(--high); background: var(--high); }
.s-medium { fill: var(--medium); background: var(--medium); } .s-low { fill: var(--low); background: var(--low); } .s-info { fill: var(--info); background: var(--info); }
.opened { fill: var(--high); background: var(--high); } .resolved { fill: var(--good); background: var(--good); }
.secret { fill: var(--link); } .waiver { fill: var(--unknown); }
.near { fill: var(--bad-bg); background: var(--bad-bg); } .soon { fill: var(--warn-bg); background: var(--warn-bg); } .key:is(.near, .soon) { border: 1px solid var(--edge); }
.gap { fill: var(--unknown); } .gap-band { stroke: var(--unknown); } .key.gap { background: repeating-linear-gradient(45deg, var(--unknown) 0 2px, transparent 2px 5px); }
.on-hold { fill: var(--bad); stroke: var(--bad); background: var(--bad); } .key.on-hold { height: 5px; vertical-align: middle; }
@media (max-width: 900px) { .plots { grid-template-columns: minmax(0, 1fr); } }
@media print { .plot details { display: none; } .plot { break-inside: avoid; } }
`
