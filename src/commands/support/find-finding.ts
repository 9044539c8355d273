import type { Settings } from '../../config/settings.ts'
import { driftIdPattern } from '../../evaluate/findings/identity.ts'
import { readFindings } from '../../evaluate/findings/read-findings.ts'
import { UsageError } from '../../model/errors.ts'
import type { FindingView } from '../../model/finding.ts'
import type { Mirror } from '../../store/port.ts'

const minLength = 6

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
  const fingerprints = await fingerprintsFrom(mirror, prefix.toLowerCase())
  const states = ['open', 'waived', 'resolved'] as const
  for await (const finding of readFindings({ store: mirror, waivers, now, states, fingerprints })) return finding
  throw new UsageError('No finding has this fingerprint; see "tenantwatch findings --all"')
}

/**
 * The fingerprint that begins so, or none.
 *
 * @throws UsageError when several do.
 */
export async function fingerprintsFrom(mirror: Mirror, prefix: string): Promise<readonly string[]> {
  const found = await mirror.fingerprintsFrom(prefix, 2)
  if (found.length > 1)
    throw new UsageError('Several findings match this prefix; give more characters of the fingerprint')
  return found
}
