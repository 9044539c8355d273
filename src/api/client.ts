import { UsageError } from '../model/errors.ts'
import { silentLog } from '../model/log.ts'
import { resourceNames } from '../model/resource-names.ts'
import { minuteMs } from '../model/time.ts'
import { AnswerTimes } from './answer-times.ts'
import { Access } from './credentials/access.ts'
import { createPlain, createSource } from './credentials/sources.ts'
import { probesFor } from './endpoints.ts'
import { Gate } from './gate.ts'
import type { TenantClientOptions } from './options.ts'
import type { TenantReader } from './reader.ts'
import { createTenantReader } from './tenant-reader.ts'
import { Dispatchers } from './transport/dispatchers.ts'
import { statusOf } from './transport/outcome.ts'
import { proxyFor } from './transport/proxy.ts'
import { createSend } from './transport/send.ts'

export interface TenantClient extends AsyncDisposable {
  readonly reader: TenantReader
  /** Milliseconds for which nothing is sent, in monotonic time; 0 = no wait. */
  waitMs(): number
  readonly answerTimes: AnswerTimes
}

const defaultCycleMs = 5 * minuteMs

/**
 * Sends nothing before the first call. The schema of the configuration has refused addresses and headers that must not
 * get a token. Throws UsageError when the environment switches certificate checks off.
 */
export function createTenantClient(options: TenantClientOptions): TenantClient {
  const { api, auth, clock, env, observer } = options
  const log = (options.log ?? silentLog()).child({ tenant: options.name })
  const cycleMs = options.cycleMs ?? defaultCycleMs
  if (env('NODE_TLS_REJECT_UNAUTHORIZED') === '0') {
    throw new UsageError('NODE_TLS_REJECT_UNAUTHORIZED is 0, which switches certificate checks off: unset it')
  }
  const { timeoutMs, caFile } = api
  const proxy =
    api.proxy === null || typeof api.proxy === 'string'
      ? api.proxy
      : createPlain(api.proxy, { clock, log, env, cycleMs })
  const dispatchers = new Dispatchers({ timeoutMs, caFile, proxyFor: proxyFor(proxy, env) })
  const { requestsPerSecond } = api
  const gate = new Gate({ ...options, requestsPerSecond, blockedUntil: options.blockedUntil ?? 0, log })
  const send = createSend(options, dispatchers, gate)
  const source = createSource(auth.token, { clock, log, env, cycleMs, send })
  const access = new Access({
    source,
    clock,
    log,
    cycleMs,
    probes: probesFor(options.resources ?? resourceNames),
    async probe(endpoint, { secret }, signal) {
      const outcome = await send({ endpoint, path: endpoint.template, secret, signal })
      if (statusOf(outcome) !== '200') observer?.failed(statusOf(outcome))
      // A 403 that states a wait is a rate limit, which says nothing of the token.
      if (outcome.kind === 'answer')
        return outcome.status === 403 && outcome.retryAfterMs !== null ? undefined : outcome.status
      if (outcome.error.reason === 'aborted') throw outcome.error
      return undefined
    },
  })
  const answerTimes = new AnswerTimes(clock, options.serverTimesReached)
  const reader = createTenantReader({ send, access, gate, observer, api, answerTimes })

  return {
    reader,
    answerTimes,
    waitMs: () => gate.leftMs,
    async [Symbol.asyncDispose]() {
      source.dispose()
      await dispatchers.destroy()
    },
  }
}
