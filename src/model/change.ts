import { valueWithoutDetails } from './text/redact.ts'

export interface ChangeView {
  readonly resource: string
  readonly entity: string
  /** Known names of the entity: name, e-mail address, file name. */
  readonly names: readonly string[]
  readonly at: number
  readonly kind: string
  readonly field: string | null
  readonly before: unknown
  readonly after: unknown
  readonly requestId: string | null
  readonly personal: boolean
}

export function withoutChangeDetails(change: ChangeView): ChangeView {
  const shown = (value: unknown) => valueWithoutDetails(value, change.personal)
  return { ...change, names: [], before: shown(change.before), after: shown(change.after) }
}
