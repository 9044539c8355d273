import { withoutEmailsIn } from './text/without-emails.ts'

export interface ChangeView {
  readonly resource: string
  readonly entity: string
  readonly at: number
  readonly kind: string
  readonly field: string | null
  readonly before: unknown
  readonly after: unknown
  readonly requestId: string | null
  readonly personal: boolean
}

const hidden = '[hidden]'

export function withoutChangeDetails(change: ChangeView): ChangeView {
  const { before, after } = change
  if (!change.personal) return { ...change, before: withoutEmailsIn(before), after: withoutEmailsIn(after) }
  return { ...change, before: before === null ? null : hidden, after: after === null ? null : hidden }
}
