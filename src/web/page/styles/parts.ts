/** Filters, evidence and the line of secrets. */
export const parts = `.chips { display: flex; flex-wrap: wrap; gap: 8px; margin: 0 0 10px; }
.chip { border: 1px solid var(--edge); border-radius: 99px; padding: 3px 12px; background: var(--card); color: var(--text); font-size: 13px; text-decoration: none; }
.chip:hover { border-color: var(--link); }
.chip[aria-current="true"] { background: var(--own-bg); border-color: var(--own); color: var(--own); font-weight: 600; }
.filter { display: flex; flex-wrap: wrap; align-items: end; gap: 8px 14px; margin: 0 0 10px; font-size: 13px; color: var(--soft); }
.filter label { display: grid; gap: 2px; min-width: 0; }
.filter .grow { flex: 1 1 220px; }
select, input, button { min-width: 0; max-width: 100%; font: inherit; color: var(--text); background: var(--card); border: 1px solid var(--edge); border-radius: 7px; padding: 5px 10px; min-height: 34px; }
button { cursor: pointer; font-weight: 600; }
.clear { align-self: center; padding-top: 16px; }
details { margin-top: 4px; }
summary { display: inline-block; cursor: pointer; color: var(--link); font-size: 13px; padding: 1px 0; }
summary::before { content: "▸ "; } details[open] > summary::before { content: "▾ "; }
dl { display: grid; grid-template-columns: minmax(100px, max-content) minmax(0, 1fr); gap: 2px 14px; margin: 4px 0 6px; padding: 8px 12px; border-radius: 8px; background: var(--bg); font-size: 13px; }
dt { color: var(--soft); overflow-wrap: anywhere; } dd { margin: 0; overflow-wrap: anywhere; }
dd time { white-space: normal; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 14px 16px 6px; margin-bottom: 10px; }
.time-line { display: block; overflow: visible; }
.time-line .tick { fill: var(--soft); font-size: 12px; text-anchor: middle; }
.time-line .notch { fill: var(--edge); }
.time-line .faint { opacity: 0.14; }
.time-line .ring { fill: none; stroke: var(--own); stroke-width: 2.5; }
.later { margin: 10px 2px 0; }
.later table { margin-top: 8px; }
`
