import type { Settings } from '../../config/settings.ts'
import { driftIdPattern } from '../../evaluate/findings/identity.ts'
import { readFindings } from '../../evaluate/findings/read-findings.ts'
import type { Mirror } from '../../mirror/port.ts'
import { UsageError } from '../../model/errors.ts'
import type { FindingView } from '../../model/finding.ts'

const minLength = 6

export const severalMatch = 'Several findings match this prefix; give more characters of the fingerprint'

/**
 * The finding with a fingerprint, the beginning of one, or the id of a drifted state.
 *
 * @throws UsageError when there is not exactly one. It does not repeat the argument, which may be a secret.
 */
export async function findFinding(
  mirror: Mirror,
  { waivers }: Pick<Settings, 'waivers'>,
  given: string,
  now: number,
): Promise<FindingView> {
  if (given.length < minLength) throw new UsageError(`Give at least ${minLength} characters of the fingerprint`)
  const [, prefix = given] = driftIdPattern.exec(given.toLowerCase()) ?? []
  const fingerprints = await mirror.fingerprintsFrom(prefix.toLowerCase(), 2)
  if (fingerprints.length > 1) throw new UsageError(severalMatch)
  const states = ['open', 'waived', 'resolved'] as const
  for await (const finding of readFindings({ store: mirror, waivers, now, states, fingerprints })) return finding
  throw new UsageError('No finding has this fingerprint; see "tenantwatch findings --all"')
}
