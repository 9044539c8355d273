export interface ChangeView {
  readonly resource: string
  readonly entity: string
  /** Milliseconds since the epoch. */
  readonly at: number
  /** created, changed, removed or returned. */
  readonly kind: string
  /** Null unless a field changed. */
  readonly field: string | null
  readonly before: unknown
  readonly after: unknown
  /** Id of the response that contained the change. */
  readonly requestId: string | null
  /** True when the field names a person or a file. */
  readonly personal: boolean
}

const hidden = '[hidden]'

/** Hides names of persons, e-mails and file names, for outputs without details. */
export function withoutChangeDetails(change: ChangeView): ChangeView {
  if (!change.personal) return change
  const { before, after } = change
  return { ...change, before: before === null ? null : hidden, after: after === null ? null : hidden }
}
