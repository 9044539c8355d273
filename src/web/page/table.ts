import { html } from 'hono/html'
import type { Html } from './text.ts'

export interface Table {
  readonly labeledBy: string
  readonly columns: readonly string[]
  readonly rows: readonly (readonly (Html | string)[])[]
  /** Index of the column with the row headers; 0 by default. */
  readonly head?: number
  readonly ids?: readonly string[]
  readonly empty: string
  readonly kind?: 'data'
}

/** Cards on narrow screens. Roles are explicit: screen readers do not treat a table with `display: block` as one. */
export function table({ labeledBy, columns, rows, head = 0, ids, empty, kind }: Table): Html {
  if (rows.length === 0) return html`<p class="empty">${empty}</p>`
  const cellOf = (cell: Html | string, i: number) =>
    i === head
      ? html`<th role="rowheader" scope="row" data-label="${columns[i] ?? ''}"><div>${cell}</div></th>`
      : html`<td role="cell" data-label="${columns[i] ?? ''}"><div>${cell}</div></td>`
  return html`<table role="table" class="${kind ?? 'plain'}" aria-labelledby="${labeledBy}">
<thead role="rowgroup"><tr role="row">${columns.map((name) => html`<th role="columnheader" scope="col">${name}</th>`)}</tr></thead>
<tbody role="rowgroup">
${rows.map((cells, i) => html`<tr role="row"${ids?.[i] === undefined ? '' : html` id="${ids[i]}"`}>${cells.map(cellOf)}</tr>\n`)}</tbody>
</table>`
}

export function part(id: string, title: string, body: Html): Html {
  return html`<section class="part" id="${id}" aria-labelledby="${id}_title"><h3 id="${id}_title">${title}</h3>
${body}</section>
`
}
