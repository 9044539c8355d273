import { createPlain } from '../api/credentials/sources.ts'
import { startDeadline, waitFor } from '../api/deadline.ts'
import { firstOf, type Response } from '../api/transport/body.ts'
import { Dispatchers } from '../api/transport/dispatchers.ts'
import { reasonOfStatus, transportFailure } from '../api/transport/outcome.ts'
import { proxyFor } from '../api/transport/proxy.ts'
import { dateOf, statedWait } from '../api/transport/send.ts'
import type { EmailSettings, NotificationSettings, SecretOrigin } from '../config/settings.ts'
import { hasCredentials, parseHttpUrl } from '../config/values.ts'
import { SyncError } from '../model/errors.ts'
import type { Log } from '../model/log.ts'
import { isLoopback } from '../model/process/address.ts'
import type { Io } from '../model/process/io.ts'
import { version } from '../model/process/version.ts'
import { secondMs } from '../model/time.ts'
import type { Message } from './message.ts'
import { signatureHeader, signatureOf, slackBody, teamsBody, webhookBody } from './payloads.ts'
import { readSmtp, sendEmail } from './send-email.ts'

export type Delivery = ReturnType<typeof createDelivery>

type Target = Pick<NotificationSettings, 'to'>

const what = 'POST to the address'

/** Most bytes that are read and discarded to keep the connection. */
const maxUnreadBytes = 128 * 1024

/** Sends messages to targets, whose addresses and secrets are read for each message. @param timeoutMs for a whole exchange. */
export function createDelivery(
  { clock, env: variables }: Pick<Io, 'clock' | 'env'>,
  log: Log,
  timeoutMs = 30 * secondMs,
) {
  const env = (name: string) => variables[name]
  const dispatchers = new Dispatchers({ timeoutMs, proxyFor: proxyFor(null, env), caFile: null })
  const read = async (origin: SecretOrigin, signal: AbortSignal) =>
    (await createPlain(origin, { clock, log, env, cycleMs: 0 }).current(signal)).expose()

  async function post(address: string, body: string, headers: Readonly<Record<string, string>>, caller: AbortSignal) {
    const { origin, path } = readAddress(address)
    using deadline = startDeadline(timeoutMs, caller)
    const { signal } = deadline
    let proxied = false
    try {
      const route = await dispatchers.current(origin)
      proxied = route.proxied
      const all = { 'content-type': 'application/json', 'user-agent': `tenantwatch/${version}`, ...headers }
      const asking = route.dispatcher.request({ origin, path, method: 'POST', headers: all, body, signal })
      // undici observes the signal only once a connection is established.
      const response = await waitFor(asking, signal)
      // The status decides, whatever happens to the body.
      await response.body.dump({ limit: maxUnreadBytes, signal }).catch(() => null)
      return assertAccepted(response, clock.now())
    } catch (thrown) {
      if (thrown instanceof SyncError && thrown.status !== undefined) throw thrown
      const state = { what, callerAborted: caller.aborted, expired: deadline.expired, timeoutMs, proxied }
      const { reason, message } = transportFailure(thrown, { ...state, status: undefined }).error
      // Its hint is about the address of a tenant.
      throw new SyncError(reason, message)
    }
  }

  async function mail(to: EmailSettings, address: string, message: Message, caller: AbortSignal): Promise<number> {
    using deadline = startDeadline(timeoutMs, caller)
    try {
      return await waitFor(sendEmail(to, address, message, deadline.signal), deadline.signal)
    } catch (error) {
      if (!deadline.expired) throw error
      throw new SyncError('timeout', `SMTP took longer than ${timeoutMs / secondMs} s`)
    }
  }

  return {
    /** @throws SyncError without address or secret; `retryAt` where the target states a wait. */
    async deliver({ to }: Target, message: Message, signal: AbortSignal): Promise<void> {
      const address = await read(originOf(to), signal)
      if ('email' in to) {
        const refused = await mail(to.email, address, message, signal)
        // Sending it again would repeat it for the others.
        if (refused > 0) log.warn({ target: message.target, refused }, 'The mail server refused some of the recipients')
        return
      }
      if ('slack' in to) return post(address, slackBody(message), {}, signal)
      if ('teams' in to) return post(address, teamsBody(message), {}, signal)
      const { secret } = to.webhook
      const body = webhookBody(message)
      const headers = secret === undefined ? {} : { [signatureHeader]: signatureOf(await read(secret, signal), body) }
      return post(address, body, headers, signal)
    },
    /** @throws SyncError when address or secret cannot be read or are not usable; sends nothing. */
    async assertReadable({ to }: Target, signal: AbortSignal): Promise<void> {
      const address = await read(originOf(to), signal)
      if ('email' in to) readSmtp(address)
      else readAddress(address)
      if ('webhook' in to && to.webhook.secret !== undefined) await read(to.webhook.secret, signal)
    },
    [Symbol.asyncDispose]: () => dispatchers.destroy(),
  }
}

/** Where the address of a target is. */
function originOf(to: NotificationSettings['to']): SecretOrigin {
  if ('slack' in to) return to.slack
  if ('teams' in to) return to.teams
  if ('webhook' in to) return to.webhook.url
  return to.email.smtp
}

function assertAccepted({ statusCode: status, headers }: Response, now: number): void {
  if (status >= 200 && status < 300) return
  const wait = statedWait(status, firstOf(headers['retry-after']), dateOf(firstOf(headers['date'])), now)
  throw new SyncError(reasonOfStatus(status), `${what} answered ${status}`, {
    status,
    retryAt: wait === null ? undefined : now + wait,
  })
}

function readAddress(address: string): { readonly origin: string; readonly path: string } {
  const url = parseHttpUrl(address)
  if (url === undefined) throw new SyncError('client_error', 'The address is no URL that begins with https://')
  if (hasCredentials(url))
    throw new SyncError('client_error', 'The address contains a user or a password, which is not supported')
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    throw new SyncError('client_error', 'The address is http for a host other than this machine; use https')
  return { origin: url.origin, path: `${url.pathname}${url.search}` }
}
