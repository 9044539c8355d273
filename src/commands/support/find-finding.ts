import { driftIdPattern } from '../../evaluate/findings/identity.ts'
import { UsageError } from '../../model/errors.ts'
import { type FindingView, findingStates } from '../../model/finding.ts'
import type { OpenMirror } from './configuration.ts'

const minLength = 6

/**
 * The finding with a fingerprint, the beginning of one, or the id of a drifted state.
 *
 * @throws UsageError when there is not exactly one. It does not repeat the argument, which may be a secret.
 */
export async function findFinding(
  { mirror, views }: Pick<OpenMirror, 'mirror' | 'views'>,
  given: string,
  withPersonal = false,
): Promise<FindingView> {
  if (given.length < minLength) throw new UsageError(`Give at least ${minLength} characters of the fingerprint`)
  const [, prefix = given] = driftIdPattern.exec(given.toLowerCase()) ?? []
  const fingerprints = await mirror.fingerprintsFrom(prefix.toLowerCase(), 2)
  if (fingerprints.length > 1)
    throw new UsageError('Several findings match this prefix; give more characters of the fingerprint')
  for await (const finding of views.findings({ states: findingStates, fingerprints, withPersonal })) return finding
  throw new UsageError('No finding has this fingerprint; see "tenantwatch findings --all"')
}
