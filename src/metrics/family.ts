import { hash } from 'node:crypto'
import { plainId, printable } from '../model/text/printable.ts'
import { withoutEmails } from '../model/text/redact.ts'

export const fromMirror = 'Read from the mirror at scrape, not from the tenant.'

export interface FamilyDefinition {
  readonly name: string
  /** One sentence, with the source of the value. */
  readonly help: string
  readonly labelNames: readonly string[]
}

/** Takes the labels in the order of `labelNames`. */
export type AddSeries = (value: number, ...labels: readonly string[]) => void

export type FamilyType = 'counter' | 'gauge' | 'histogram'

/** The beginning of a family in the Prometheus text format; its series follow. */
export function renderHead({ name, help }: FamilyDefinition, type: FamilyType): string {
  return `# HELP ${name} ${help.replace(/\\/g, '\\\\').replace(/\n/g, '\\n')}\n# TYPE ${name} ${type}\n`
}

/** The series that `each` adds; of equal label sets, such as those of two ids with one label text, the first counts. */
export function renderSeries(
  { name, labelNames }: FamilyDefinition,
  each: (add: AddSeries) => void,
  tenant?: string,
): string {
  const ofTenant = tenant === undefined ? '' : `tenant="${escapeLabel(tenant)}"`
  const lines = new Map<string, string>()
  each((value, ...labels) => {
    const series = renderLabels(labelNames, labels, ofTenant)
    if (!lines.has(series))
      lines.set(series, `${name}${series} ${value === Number.POSITIVE_INFINITY ? '+Inf' : value}\n`)
  })
  // One flat text: thousands of tenants have hundreds of series each.
  return [...lines.values()].join('')
}

/** @param first labels before these, rendered. */
export function renderLabels(names: readonly string[], values: readonly string[], first = ''): string {
  let labels = first
  for (let i = 0; i < names.length; i++)
    labels += `${labels === '' ? '' : ','}${names[i]}="${escapeLabel(values[i] ?? '')}"`
  return labels === '' ? '' : `{${labels}}`
}

const special = /[\\\n"\ud800-\udfff]/

function escapeLabel(value: string): string {
  if (!special.test(value)) return value
  return value.toWellFormed().replace(/\\/g, '\\\\').replace(/\n/g, '\\n').replace(/"/g, '\\"')
}

/** Milliseconds since the epoch to seconds; null (never) to 0. */
export function timestampSeconds(ms: number | null): number {
  return ms === null ? 0 : ms / 1000
}

const longest = 200

/** Printable text of at most 200 characters, without e-mail addresses. */
export function labelText(text: string): string {
  return withoutEmails(printable(text, longest))
}

/** The id if it cannot be a name, else a digest of it, so that no two ids have the same label. */
export function idLabel(id: string): string {
  return plainId.test(id) ? id : `sha256:${hash('sha256', id, 'hex').slice(0, 12)}`
}
