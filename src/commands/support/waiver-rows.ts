import type { Check } from '../../evaluate/check.ts'
import { toIso } from '../../model/dates.ts'
import { guidKey } from '../../model/guid.ts'
import type { WaiverEvent } from '../../report/waiver-events.ts'

/** A row of `tenantwatch history`. */
export function waiverRow({ at, tenant, kind, waiver, check, entity, agreed }: WaiverEvent, known: readonly Check[]) {
  const resource = known.find(({ id }) => id === check)?.evaluates ?? null
  const facts = { at: toIso(at), tenant, change: `waiver_${kind}`, before: null, requestId: null }
  return {
    ...facts,
    resource,
    entity: guidKey(entity),
    field: check,
    after: waiver,
    reason: kind === 'removed' ? null : (agreed?.reason ?? null),
  }
}

interface Row {
  readonly change: unknown
  readonly entity: unknown
  readonly field: unknown
}

/** The entity of a waiver may be a file name, or a value that an own check returns. */
export function mayNamePerson({ change, entity, field }: Row, known: readonly Check[]): boolean {
  if (!isOfWaiver(change) || entity === '*') return false
  return known.find(({ id }) => id === field)?.entity.hasPlainIds !== true
}

export function isOfWaiver(change: unknown): boolean {
  return String(change).startsWith('waiver_')
}
