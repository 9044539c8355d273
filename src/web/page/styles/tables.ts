/** Tables and what stands in their cells. */
export const tables = `table { width: 100%; margin: 0; border-spacing: 0; background: var(--card); border: 1px solid var(--line); border-radius: 10px; overflow: hidden; }
@media (min-width: 701px) {
  table.findings { table-layout: fixed; }
  .findings th:nth-child(1) { width: 108px; } .findings th:nth-child(3) { width: 17%; }
  .findings th:nth-child(4) { width: 16%; } .findings th:nth-child(5) { width: 200px; }
}
.plain code { overflow-wrap: anywhere; }
th, td { padding: 8px 16px; text-align: left; vertical-align: top; font-weight: 400; border-top: 1px solid var(--line); }
.findings th, .findings td { padding: 8px 12px; }
thead th { border-top: 0; color: var(--soft); font-size: 12px; font-weight: 500; white-space: nowrap; }
thead a { color: inherit; text-decoration: none; }
thead a:hover { text-decoration: underline; }
.arrow { display: inline-block; width: 14px; padding-left: 4px; font-size: 9px; }
tbody th { font-weight: 500; }
.findings tbody th, .findings td code { font-size: 13px; overflow-wrap: anywhere; }
code { font: 12.5px/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
.id { display: block; color: var(--soft); font-size: 11.5px; font-weight: 400; overflow-wrap: anywhere; }
.why { display: block; color: var(--soft); font-size: 13px; font-weight: 400; overflow-wrap: anywhere; }
.type, .kind { color: var(--soft); font-weight: 400; }
.ago, .none, .count.quiet { color: var(--soft); font-size: 13px; }
td .ago { display: inline-block; white-space: nowrap; }
td time + .ago { display: block; }
.num + .why { white-space: nowrap; }
bdi { overflow-wrap: anywhere; }
.num { font-variant-numeric: tabular-nums; white-space: nowrap; }
time { white-space: nowrap; font-variant-numeric: tabular-nums; }
.mode { display: block; white-space: nowrap; }
.mode .ago { min-width: 44px; }
.count { white-space: nowrap; margin-right: 6px; }
.counts { color: inherit; text-decoration: none; }
.counts:hover { text-decoration: underline; }
.bar { display: block; width: 100%; height: 8px; margin: 4px 0 6px; border-radius: 4px; }
.bar.slim { max-width: 150px; height: 6px; margin: 8px 0 3px; }
.values { overflow-wrap: anywhere; }
del { color: var(--soft); } ins { text-decoration: none; font-weight: 600; }
.empty { margin: 0; background: var(--card); border: 1px dashed var(--edge); border-radius: 10px; padding: 14px 20px; color: var(--soft); }
.more, .count-line { margin: 6px 2px 0; color: var(--soft); font-size: 13px; }
.count-line { margin: 0 2px 8px; }
`
