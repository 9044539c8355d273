/** Narrow screens: tables as cards, nothing wider than the screen. */
export const phone = `@media (max-width: 900px) { .tiles { grid-template-columns: repeat(2, 1fr); } }
@media (max-width: 700px) {
  header, main, footer { padding-left: 14px; padding-right: 14px; }
  .asof { margin-left: 0; width: 100%; }
  .tiles { gap: 8px; }
  .tile { padding: 10px 12px; }
  .figure { font-size: 20px; }
  table, tbody, tr, th, td { display: block; }
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .findings thead { position: static; width: auto; height: auto; clip-path: none; overflow: visible; }
  .findings thead tr { display: flex; flex-wrap: wrap; gap: 4px 14px; background: none; border: 0; padding: 0 2px 6px; }
  .findings thead th { padding: 0; } .findings thead th:not([aria-sort]) { display: none; }
  thead a { text-decoration: underline; }
  table { background: none; border: 0; border-radius: 0; overflow: visible; }
  tbody tr { background: var(--card); border: 1px solid var(--line); border-radius: 10px; margin-bottom: 8px; padding: 8px 14px; }
  th, td, .findings th, .findings td { border-top: 0; padding: 3px 0; }
  tbody th { font-size: 16px; font-weight: 600; }
  td, .findings tbody th { display: grid; grid-template-columns: 96px minmax(0, 1fr); }
  .findings tbody th { font-size: 15px; font-weight: 400; }
  .findings td:nth-child(2) { display: block; }
  td::before, .findings tbody th::before { content: attr(data-label); color: var(--soft); font-size: 12.5px; padding-top: 2px; }
  .findings td:nth-child(1)::before, .findings td:nth-child(2)::before { content: none; }
  .findings td:nth-child(1) { display: block; }
  .data tbody tr, .checks tbody tr { display: grid; grid-template-columns: minmax(0, 1fr) auto; column-gap: 12px; }
  .data td:nth-child(2), .checks td:nth-child(2) { display: block; max-width: 150px; }
  .data td:nth-child(2)::before, .checks td:nth-child(2)::before { content: none; }
  .data td:nth-child(n + 3), .checks td:nth-child(n + 3) { grid-column: 1 / -1; }
  td .ago, .mode, .num + .why, time { white-space: normal; }
  .bar.slim { width: 150px; margin-top: 8px; }
  dl { grid-template-columns: minmax(0, 1fr); gap: 0; }
  dd { margin-bottom: 4px; }
  .filter label { flex: 1 1 140px; }
  .chip { padding: 6px 14px; }
  .clear { padding-top: 0; }
  footer span { margin-left: 0; }
}
`
