import type { AddressInfo } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { expect, it, onTestFinished } from 'vitest'
import type { SyncError } from '../../src/model/errors.ts'
import { testMessage } from '../../src/notify/message.ts'
import { sendEmail } from '../../src/notify/send-email.ts'
import { caught } from '../api/support/caught.ts'
import { selfSigned } from '../support/certificate.ts'

const certificate = selfSigned('localhost')
const message = { ...testMessage('security', null, 7), title: 'acme: 1 opened\r\nBcc: other@example.com' }
const envelope = { from: 'tenantwatch <tw@example.com>', to: ['a@example.com', 'b@example.com'] }

/** An SMTP server on this machine that records mails, and whether they came over TLS and with a password. */
async function smtp(options: SMTPServerOptions) {
  const mails: { readonly text: string; readonly secure: boolean; readonly user: unknown }[] = []
  const server = new SMTPServer({
    ...certificate,
    authOptional: true,
    onAuth: ({ username, password }, _session, done) =>
      password === 'can@ry' ? done(null, { user: username }) : done(new Error('wrong canary')),
    onData(stream, session, done) {
      let text = ''
      stream.on('data', (piece) => {
        text += piece
      })
      stream.on('end', () => {
        mails.push({ text, secure: session.secure, user: session.user })
        done()
      })
    },
    ...options,
  })
  server.on('error', () => {})
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve))
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())))
  return { mails, port: (server.server.address() as AddressInfo).port }
}

function trusted(): void {
  const before = getCACertificates('default')
  setDefaultCACertificates([...before, certificate.cert])
  onTestFinished(() => setDefaultCACertificates(before))
}

async function failureOf(address: string): Promise<SyncError> {
  const error = (await caught(sendEmail(envelope, address, message, new AbortController().signal))) as SyncError
  expect(`${error.message} ${error.hint} ${error.cause}`).not.toMatch(/can(@|%40)ry/)
  return error
}

it.each([
  ['by STARTTLS', 'smtp', {}],
  ['by TLS', 'smtps', { secure: true }],
])('sends over TLS with a password, %s', async (_, scheme, options) => {
  trusted()
  const { mails, port } = await smtp(options)
  await sendEmail(envelope, `${scheme}://me:can%40ry@localhost:${port}`, message, new AbortController().signal)
  expect(mails).toMatchObject([{ secure: true, user: 'me' }])
  const [head = '', ...body] = (mails[0]?.text ?? '').split('\r\n\r\n')
  expect(head).toMatch(/^Message-ID: <test\/7\/7\/security@tenantwatch>$/m)
  expect(head).toMatch(/^To: a@example.com, b@example.com\r$/m)
  expect(head).not.toMatch(/^Bcc/m)
  expect(body.join()).toContain(message.items[0]?.text)
})

it('sends without TLS on the loopback only', async () => {
  const { mails, port } = await smtp({ disabledCommands: ['STARTTLS', 'AUTH'] })
  await sendEmail(envelope, `smtp://127.0.0.1:${port}`, message, new AbortController().signal)
  expect(mails).toMatchObject([{ secure: false }])
  // Reaches this machine, but is no loopback address.
  expect(await failureOf(`smtp://0.0.0.0:${port}`)).toMatchObject({ reason: 'network' })
  expect(mails).toHaveLength(1)
})

it('sends nothing to a server whose certificate is not trusted, or that refuses the password', async () => {
  const { mails, port } = await smtp({})
  await failureOf(`smtp://me:can%40ry@localhost:${port}`)
  trusted()
  await failureOf(`smtp://me:wrong-can%40ry@localhost:${port}`)
  expect(mails).toEqual([])
})

it.each(['https://can%40ry@example.com', 'smtp://', 'smtp://me:can%ry@example.com'])(
  'refuses the address %s without showing it',
  async (address) => {
    expect(await failureOf(address)).toMatchObject({ reason: 'client_error' })
  },
)

it('ends with its signal, also where the server never does', async () => {
  const stop = new AbortController()
  const { port } = await smtp({ onConnect: () => stop.abort() })
  await expect(sendEmail(envelope, `smtp://127.0.0.1:${port}`, message, stop.signal)).rejects.toThrow('SMTP failed')
})

it('sends no password to a server whose certificate is not trusted, whatever the environment says', async () => {
  const { mails, port } = await smtp({})
  process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0'
  onTestFinished(() => void delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'])
  const sent = sendEmail(envelope, `smtp://me:can%40ry@localhost:${port}`, message, new AbortController().signal)
  await expect(sent).rejects.toThrow('SMTP failed')
  expect(mails).toEqual([])
})
