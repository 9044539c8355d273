/** A change of something mirrored, as the page lists it. */
export interface ChangeView {
  readonly resource: string
  /** The record's id as the mirror keeps it. */
  readonly entity: string
  /** Milliseconds since the epoch. */
  readonly at: number
  /** created, changed, removed or returned. */
  readonly kind: string
  /** Null unless a field changed. */
  readonly field: string | null
  readonly before: unknown
  readonly after: unknown
  /** Of the answer that showed it. */
  readonly requestId: string | null
  /** True when the field names a person or a file. */
  readonly personal: boolean
}

const hidden = '[hidden]'

/** A change without names of persons, e-mails and file names, for outputs that may not show details. */
export function withoutChangeDetails(change: ChangeView): ChangeView {
  if (!change.personal) return change
  const { before, after } = change
  return { ...change, before: before === null ? null : hidden, after: after === null ? null : hidden }
}
