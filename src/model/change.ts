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
  if (!change.personal) return change
  const { before, after } = change
  return { ...change, before: before === null ? null : hidden, after: after === null ? null : hidden }
}
