import { html } from 'hono/html'
import { toIso } from '../model/dates.ts'
import { printable } from '../model/text/printable.ts'
import type { Html } from '../web/page/text.ts'

export { grouped as number } from '../model/text/grouped.ts'

/** A text from the tenant, uncut: escaped, and isolated so that it cannot change the writing direction around it. */
export function whole(text: string): Html {
  return html`<bdi>${printable(text)}</bdi>`
}

/** A time of the report in UTC. */
export function when(iso: string | null, never = ''): Html | string {
  if (iso === null) return never
  const [day = '', time = ''] = toIso(Date.parse(iso)).split('T')
  return html`<time datetime="${iso}">${day} ${time.slice(0, 5)} UTC</time>`
}

export interface Table {
  readonly caption: string
  readonly columns: readonly string[]
  /** The first cell of a row is its header. */
  readonly rows: readonly (readonly (Html | string)[])[]
  /** Shown instead of a table without rows. */
  readonly empty: string
}

export function table({ caption, columns, rows, empty }: Table): Html {
  if (rows.length === 0) return html`<h3>${caption}</h3><p class="empty">${empty}</p>`
  return html`<table>
<caption>${caption}</caption>
<thead><tr>${columns.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>
${rows.map(row)}</tbody>
</table>
`
}

function row([head = '', ...rest]: readonly (Html | string)[]): Html {
  return html`<tr><th scope="row">${head}</th>${rest.map((cell) => html`<td>${cell}</td>`)}</tr>
`
}
