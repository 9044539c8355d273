import { html } from 'hono/html'
import type { Html } from './text.ts'

export interface Table {
  readonly caption: string
  /** Column headings; the first column heads its row. */
  readonly columns: readonly string[]
  readonly rows: readonly (readonly (Html | string)[])[]
  /** Shown in place of a body without rows. */
  readonly empty: string
}

/**
 * A table that turns into cards on a phone. The roles are written out, because a table laid out as blocks is none for
 * a screen reader any more.
 */
export function table({ caption, columns, rows, empty }: Table): Html {
  if (rows.length === 0) return html`<p class="empty">${empty}</p>`
  return html`<table role="table">
<caption>${caption}</caption>
<thead role="rowgroup"><tr role="row">${columns.map((name) => html`<th role="columnheader" scope="col">${name}</th>`)}</tr></thead>
<tbody role="rowgroup">
${rows.map((cells) => row(columns, cells))}</tbody>
</table>`
}

function row(columns: readonly string[], cells: readonly (Html | string)[]): Html {
  const [head = '', ...rest] = cells
  return html`<tr role="row"><th role="rowheader" scope="row">${head}</th>${rest.map(
    (cell, i) => html`<td role="cell" data-label="${columns[i + 1] ?? ''}"><div>${cell}</div></td>`,
  )}</tr>
`
}
