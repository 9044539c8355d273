import { checks } from '../checks/index.ts'
import { configuredBaseline } from '../checks/support/drift.ts'
import type { Views } from '../daemon/views.ts'
import type { Mirror } from '../mirror/port.ts'
import { UsageError } from '../model/errors.ts'
import type { FindingView } from '../model/finding.ts'
import { type Io, print } from '../model/process/io.ts'
import { printable } from '../model/text/printable.ts'
import { printableJson } from '../model/text/printable-json.ts'

/** True when a text may be the prefix of a fingerprint. */
export function mayBeFingerprint(given: string): boolean {
  return /^[\da-f]{6,32}$/i.test(given)
}

export interface AcceptDrift {
  readonly io: Io
  readonly mirror: Mirror
  readonly views: Views
  /** A fingerprint or its prefix. */
  readonly given: string
  readonly reason: string
}

/**
 * Makes the state shown by an open drift finding the new baseline. Changes since the finding was evaluated stay findings.
 *
 * @returns false when no open finding has that fingerprint.
 * @throws UsageError when it cannot be accepted.
 */
export async function acceptDrift({ io, mirror, views, given, reason }: AcceptDrift): Promise<boolean> {
  const found: FindingView[] = []
  for await (const finding of views.findings({ states: ['open', 'waived'] })) {
    if (finding.fingerprint.startsWith(given.toLowerCase())) found.push(finding)
  }
  const [finding, other] = found
  if (finding === undefined) return false
  if (other !== undefined)
    throw new UsageError('Several findings match this prefix; give more characters of the fingerprint')
  const { check, entity, evidence, tenant } = finding
  const drifting = checks.filter((one) => 'drift' in one).map(({ id }) => id as string)
  if (!drifting.includes(check)) {
    const names = drifting.join(' and ')
    throw new UsageError(`Only findings of ${names} can be accepted; waive this one in the configuration`)
  }
  if (evidence['expectedFrom'] === configuredBaseline) {
    throw new UsageError(`The baseline of this finding is configured: change checks.${check}.baseline instead`)
  }
  if (reason === '') throw new UsageError('Give a reason with --reason TEXT: it is kept for auditors')
  const row = (await mirror.tenants()).find(({ name }) => name === tenant)
  if (row === undefined) return false
  const state = evidence['present'] ?? null
  await mirror.acceptState(row.id, check, { entityId: entity.id, state, at: io.clock.now(), reason })
  const what = printable(`${check} of ${tenant} ${entity.id}: ${printableJson(state)}`)
  print(io, `Accepted: ${what}. The finding ends with the next evaluation.`)
  return true
}
