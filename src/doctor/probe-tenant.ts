import { startDeadline } from '../api/deadline.ts'
import type { EnvLookup } from '../api/options.ts'
import type { Fetched, TenantClient } from '../api/reader.ts'
import type { TenantSettings } from '../config/settings.ts'
import { describeDuration, minuteMs } from '../model/durations.ts'
import type { Reason } from '../model/reasons.ts'
import type { ResourceDefinition } from '../model/resource.ts'
import { greatestSkewMs, isSkewed } from '../model/server-clock.ts'
import { resources } from '../resources/index.ts'
import type { GivenPage } from '../sync/identity-proof.ts'
import { diagnoseDeviations } from './deviations.ts'
import { type Diagnosis, failure, fine, warning } from './diagnosis.ts'
import { diagnosePageSize, probeEndpoint, skewOf } from './endpoint.ts'
import { diagnoseToken } from './token.ts'

export interface Probing {
  readonly tenant: TenantSettings
  readonly client: TenantClient
  /** Wall time in milliseconds since the epoch. */
  readonly now: () => number
  readonly signal: AbortSignal
  readonly env: EnvLookup
  /** Time limit for the whole tenant, in milliseconds. */
  readonly busyTimeoutMs?: number
}

/** After this many endpoints without an answer the others are skipped: an unreachable tenant would cost a time-out each. */
const unreachableAfter = 2
const noAnswer: ReadonlySet<Reason | null> = new Set<Reason | null>(['network', 'timeout', 'tls'])

export interface Probed {
  readonly diagnoses: readonly Diagnosis[]
  readonly pages: readonly GivenPage[]
}

/** @throws the reason of `signal` when that is aborted. */
export async function probeTenant({ busyTimeoutMs = minuteMs, ...probing }: Probing): Promise<Probed> {
  const { tenant, client, now } = probing
  using deadline = startDeadline(busyTimeoutMs, probing.signal)
  const probed = await probeAll(probing, deadline.signal, busyTimeoutMs)
  const pages = probed.flatMap(({ page, name }) => (page === null ? [] : [{ name, page }]))
  probing.signal.throwIfAborted()
  const diagnoses = [
    ...probed.map(({ diagnosis }) => diagnosis),
    ...diagnoseToken(tenant.auth, now(), client.tokenGoodForMs, probing.env),
    ...some(diagnosePageSize(probed, tenant.api)),
    ...diagnoseDeviations(probed, tenant),
    ...some(diagnoseClock(pages)),
  ]
  const given = probed.flatMap(({ definition, page }) => (page === null ? [] : [{ definition, fetched: page }]))
  return { diagnoses, pages: given }
}

interface Answered {
  readonly definition: ResourceDefinition
  readonly name: string
  readonly page: Fetched | null
  readonly diagnosis: Diagnosis
}

async function probeAll(
  { tenant, client, signal }: Probing,
  combined: AbortSignal,
  busyTimeoutMs: number,
): Promise<Answered[]> {
  const probed: Answered[] = []
  for (const definition of resources) {
    const { name, permission } = definition
    const add = (diagnosis: Diagnosis) => void probed.push({ definition, name, page: null, diagnosis })
    const tried = probed.filter(({ diagnosis }) => diagnosis.level !== 'warn')
    if (!tenant.resources[name].enabled) {
      const advice = 'Every check that reads it is not applicable; enable it in resources if that is not intended'
      add(warning(name, 'switched off in the configuration', advice, { permission }))
    } else if (
      tried.length >= unreachableAfter &&
      tried.every(({ diagnosis }) => noAnswer.has(diagnosis.reason) && !isFine(diagnosis))
    ) {
      const { reason } = tried[0]?.diagnosis ?? { reason: null }
      add(failure(name, `${reason}: skipped, because baseUrl does not answer`, null, { permission, reason }))
    } else {
      try {
        probed.push({
          definition,
          name,
          ...(await probeEndpoint(definition, client.reader, tenant.ownClientId, combined)),
        })
      } catch (error) {
        if (signal.aborted) throw error
        const sentence = `timeout: the tenant had ${describeDuration(busyTimeoutMs)} for all endpoints together`
        add(
          failure(name, sentence, 'It answers too slowly; check api.timeoutSeconds', { permission, reason: 'timeout' }),
        )
      }
    }
  }
  return probed
}

const isFine = ({ level }: Diagnosis) => level === 'ok'

const some = (diagnosis: Diagnosis | null): readonly Diagnosis[] => (diagnosis === null ? [] : [diagnosis])

/** The largest clock difference of the answers; null without an answer. */
function diagnoseClock(pages: readonly Pick<Answered, 'name' | 'page'>[]): Diagnosis | null {
  const metas = pages.flatMap(({ name, page }) => (page === null ? [] : [{ name, skewMs: skewOf(page.meta) }]))
  const skews = metas.flatMap(({ skewMs }) => skewMs ?? [])
  const without = metas.filter(({ skewMs }) => skewMs === null).map(({ name }) => name)
  if (metas.length === 0) return null
  if (without.length > 0 && skews.every((skewMs) => !isSkewed(skewMs))) {
    const advice = 'Ask the vendor: without it checks that compare times do not pass, and their findings stay open'
    return warning('clock', `meta.timestamp of ${without.join(', ')} is missing or invalid`, advice)
  }
  const most = skews.reduce((worst, skew) => (Math.abs(skew) > Math.abs(worst) ? skew : worst))
  const side = most > 0 ? 'ahead of' : 'behind'
  const seconds = (Math.abs(most) / 1000).toFixed(1)
  const sentence = seconds === '0.0' ? 'the clocks agree' : `the server's clock is ${seconds} s ${side} this one`
  if (!isSkewed(most)) return fine('clock', sentence)
  const advice = 'Correct the clock (NTP): until then checks that compare times are unknown'
  return failure('clock', `${sentence}, more than ${greatestSkewMs / 1000} s`, advice)
}
