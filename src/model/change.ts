import { hiddenValue, withoutEmailsIn } from './text/redact-finding.ts'

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
  const { before, after } = change
  if (!change.personal) return { ...change, names: [], before: withoutEmailsIn(before), after: withoutEmailsIn(after) }
  return { ...change, names: [], before: hiddenValue(before), after: hiddenValue(after) }
}
