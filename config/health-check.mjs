// Requests /healthz of the daemon in this container, over HTTP, else over TLS. The certificate is not verified: the
// request stays on this machine and carries no password.
import { get } from 'node:http'
import { get as getSecure } from 'node:https'

const [, bracketed, plain, port] = /^(?:(?:\[(.+)\]|(.*)):)?(\d+)$/.exec(process.env.TENANTWATCH_LISTEN ?? '9469') ?? []
const listened = bracketed ?? plain ?? ''
// The wildcard address is none to connect to.
const host = listened === '' || listened === '0.0.0.0' ? '127.0.0.1' : listened === '::' ? '::1' : listened

function ask(over) {
  return new Promise((resolve, reject) => {
    const options = { host, port, path: '/healthz', timeout: 2000, rejectUnauthorized: false }
    const sent = over(options, (answer) => {
      answer.resume()
      resolve(answer.statusCode)
    })
    sent.on('timeout', () => sent.destroy(new Error('no answer')))
    sent.on('error', reject)
  })
}

const status = await ask(get).catch(() => ask(getSecure).catch(() => undefined))
process.exit(status === 200 ? 0 : 1)
