import { html } from 'hono/html'
import type { Html } from './text.ts'

export interface Column {
  readonly name: string
  readonly sort?: { readonly href: string; readonly order: 'ascending' | 'descending' | 'none' }
}

export interface Table {
  readonly labeledBy: string
  readonly columns: readonly (string | Column)[]
  readonly rows: readonly (readonly (Html | string)[])[]
  /** Index of the column with the row headers; 0 by default. */
  readonly head?: number
  /** Ids by which a refresh matches rows. */
  readonly ids?: readonly string[]
  /** Content below each row, over the whole width; needs `ids`. */
  readonly below?: readonly Html[]
  readonly empty: string
  readonly kind?: 'checks' | 'data' | 'findings'
}

/** Cards on narrow screens. Roles are explicit: screen readers do not treat a table with `display: block` as one. */
export function table(request: Table): Html {
  const { labeledBy, columns, rows, empty, kind } = request
  if (rows.length === 0) return html`<p class="empty">${empty}</p>`
  return html`<table role="table" class="${kind ?? 'plain'}" aria-labelledby="${labeledBy}">
<thead role="rowgroup"><tr role="row">${columns.map(heading)}</tr></thead>
<tbody role="rowgroup">
${rows.map((cells, i) => html`${row(request, cells, request.ids?.[i])}${below(request, i)}`)}</tbody>
</table>`
}

const arrows = { ascending: '▲', descending: '▼', none: '' } as const

function heading(column: string | Column): Html {
  if (typeof column === 'string') return html`<th role="columnheader" scope="col">${column}</th>`
  if (column.sort === undefined) return html`<th role="columnheader" scope="col">${column.name}</th>`
  const { href, order } = column.sort
  return html`<th role="columnheader" scope="col" aria-sort="${order}"><a href="${href}" data-live="">${column.name}<span class="arrow" aria-hidden="true">${arrows[order]}</span></a></th>`
}

function row({ columns, head = 0 }: Table, cells: readonly (Html | string)[], id: string | undefined): Html {
  const name = id === undefined ? '' : html` id="${id}"`
  return html`<tr role="row"${name}>${cells.map((cell, i) => {
    const column = columns[i] ?? ''
    const label = typeof column === 'string' ? column : column.name
    return i === head
      ? html`<th role="rowheader" scope="row" data-label="${label}"><div>${cell}</div></th>`
      : html`<td role="cell" data-label="${label}"><div>${cell}</div></td>`
  })}</tr>
`
}

function below({ below, columns, ids }: Table, i: number): Html | string {
  const content = below?.[i]
  if (content === undefined) return ''
  return html`<tr role="row" id="below-${ids?.[i]}" class="below"><td role="cell" colspan="${columns.length}">${content}</td></tr>
`
}

export function part(id: string, title: string, body: Html): Html {
  return html`<section class="part" id="${id}" aria-labelledby="${id}_title"><h3 id="${id}_title">${title}</h3>
${body}</section>
`
}
