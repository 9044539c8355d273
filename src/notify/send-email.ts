import { codeOrNameOf } from '../api/transport/outcome.ts'
import type { EmailSettings } from '../config/settings.ts'
import { SyncError } from '../model/errors.ts'
import { isLoopback } from '../model/process/address.ts'
import type { Message } from './message.ts'
import { emailText } from './payloads.ts'

const smtpWanted = 'expected smtps://user:password@host:465, or smtp://user:password@host:587 for STARTTLS'

/**
 * Sends by SMTP, over TLS except on the loopback. The message's id is in `Message-ID`.
 *
 * @param address with the password.
 * @param signal destroys the connection.
 * @returns the number of recipients that the server refused; it took the message for the others.
 * @throws SyncError without the address.
 */
export async function sendEmail(
  { from, to }: Pick<EmailSettings, 'from' | 'to'>,
  address: string,
  message: Message,
  signal: AbortSignal,
): Promise<number> {
  const server = readSmtp(address)
  const { createTransport } = await import('nodemailer')
  const limits = {
    socketCloseTimeout: 0,
    disableFileAccess: true,
    disableUrlAccess: true,
    tls: { rejectUnauthorized: true },
  }
  const transport = createTransport({ ...server, ...limits })
  try {
    // With a time, because a restored backup gives out the ids of events again.
    const messageId = `<${message.id}/${message.items.at(-1)?.at}/${message.target}@tenantwatch>`
    return (await transport.sendMail({ from, to: [...to], messageId, signal, ...emailText(message) })).rejected.length
  } catch (thrown) {
    const status = thrown instanceof Error && 'responseCode' in thrown ? ` ${Number(thrown.responseCode)}` : ''
    throw new SyncError('network', `SMTP failed: ${codeOrNameOf(thrown)}${status}`)
  } finally {
    transport.close()
  }
}

/** @throws SyncError without the address. */
export function readSmtp(address: string) {
  const url = /^smtps?:\/\/[^\s\\]+$/i.test(address) ? URL.parse(address) : null
  if (url === null || url.hostname === '')
    throw new SyncError('client_error', `The address is no SMTP URL; ${smtpWanted}`)
  const secure = url.protocol === 'smtps:'
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  const user = decoded(url.username)
  return {
    host,
    port: Number(url.port || (secure ? 465 : 587)),
    secure,
    requireTLS: !secure && !isLoopback(host),
    ...(user !== '' && { auth: { user, pass: decoded(url.password) } }),
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new SyncError('client_error', `The address contains a character unescaped; ${smtpWanted}`)
  }
}
