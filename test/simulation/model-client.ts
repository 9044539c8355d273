import { AnswerTimes } from '../../src/api/answer-times.ts'
import type { TenantClient } from '../../src/api/client.ts'
import { Access } from '../../src/api/credentials/access.ts'
import { envSource } from '../../src/api/credentials/sources.ts'
import { probesFor } from '../../src/api/endpoints.ts'
import { Gate } from '../../src/api/gate.ts'
import { createTenantReader } from '../../src/api/tenant-reader.ts'
import type { Outcome } from '../../src/api/transport/outcome.ts'
import type { TenantRequest } from '../../src/api/transport/send.ts'
import { silentLog } from '../../src/model/log.ts'
import type { ReachedTime } from '../../src/model/server-clock.ts'
import type { Mirror, TenantRow } from '../../src/store/port.ts'
import { enabledNames, shortestIntervalMs } from '../../src/sync/due.ts'
import type { MachineParts } from './machine.ts'
import type { Scope } from './virtual-time.ts'

interface ModelClientOptions extends Pick<MachineParts, 'network' | 'prng' | 'settings' | 'wall'> {
  readonly scope: Scope
  readonly tenant: TenantRow
  readonly store: Mirror
  readonly serverTimesReached: readonly ReachedTime[]
}

/**
 * The real reading half of the client over the modelled wire: envelope and shapes, token, 401 check results, identities,
 * retries and waits are the product's own; only sockets are not there. Wired as `createTenantClient` does it.
 */
export function createModelClient(
  options: ModelClientOptions,
): Pick<TenantClient, 'answerTimes' | 'reader' | 'waitMs'> {
  const { settings, scope, wall, network, prng, tenant, store } = options
  const clock = wall.for(scope)
  const { api } = settings
  const random = () => prng.stream(`retry ${clock.monotonic()}`).next()
  const gate = new Gate({
    clock,
    random,
    requestsPerSecond: api.requestsPerSecond,
    blockedUntil: tenant.blockedUntil,
    blockedForMs: tenant.blockedForMs,
    log: silentLog(),
    storeWait: (blockedUntil, blockedForMs) => store.noteTenant(tenant.id, { blockedUntil, blockedForMs }),
  })
  const source = envSource('TOKEN', () => network.token)
  const send = async ({ path, secret, signal }: TenantRequest): Promise<Outcome> => {
    using _inFlight = await gate.pass(signal)
    const outcome = await network.send(path, secret.expose(), scope, signal)
    if (outcome.kind !== 'answer') return outcome
    if (outcome.status === 429) gate.refused()
    if (outcome.status < 400) gate.succeeded()
    if (outcome.retryAfterMs !== null) await gate.blockFor(outcome.retryAfterMs)
    return outcome
  }
  const access = new Access({
    source,
    clock,
    log: silentLog(),
    cycleMs: shortestIntervalMs(settings),
    probes: probesFor(enabledNames(settings)),
    async probe(endpoint, { secret }, signal) {
      const outcome = await send({ endpoint, path: endpoint.template, secret, signal })
      if (outcome.kind === 'answer') return outcome.status
      if (outcome.error.reason === 'aborted') throw outcome.error
      return undefined
    },
  })
  const answerTimes = new AnswerTimes(clock, options.serverTimesReached)
  return {
    answerTimes,
    reader: createTenantReader({ send, access, gate, observer: undefined, api, answerTimes }),
    waitMs: () => gate.leftMs,
  }
}
