import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { expect, it, vi } from 'vitest'
import type { FaultEffect } from '../../src/simulator/index.ts'
import type { Ran } from '../hostile/support/world.ts'
import { selfSigned } from '../support/certificate.ts'
import { listening } from '../support/listening.ts'
import { roundTrip } from '../web/support/wire.ts'
import { filesIn } from './support/files.ts'
import { leaksIn } from './support/leaks.ts'
import { type SecretWorld, secretWorld, sourceNames } from './support/sources.ts'

vi.setConfig({ testTimeout: 60_000 })

/** Answers of a tenant that echoes every request in each part of an answer. */
function echoes(secrets: readonly string[]): readonly FaultEffect[] {
  const secret = secrets.at(-1) ?? ''
  const heard = `Bearer ${secret} ${Buffer.from(secret).toString('base64')} ${encodeURIComponent(secret)}`
  const json = JSON.stringify({ data: null, error: { code: secret, message: heard, requestId: secret }, meta: heard })
  const headers = { location: `http://127.0.0.1:9/${secret}`, 'x-heard': heard, 'www-authenticate': heard }
  const statuses = [301, 307, 400, 401, 403, 404, 407, 429, 500, 503]
  return [
    ...statuses.map((status): FaultEffect => ({ kind: 'body', status, body: json, headers })),
    { kind: 'body', body: json, headers },
    { kind: 'body', body: heard, headers },
    { kind: 'body', body: `{"data":[],"${secret}":`, headers },
    { kind: 'body', body: heard, contentType: 'text/html', headers: { ...headers, 'content-encoding': 'gzip' } },
    { kind: 'raw', bytes: `HTTP/1.1 200 OK\r\nbad header ${heard}\r\n\r\n` },
    { kind: 'raw', bytes: `${heard}\r\n\r\n` },
    { kind: 'raw', bytes: `HTTP/1.1 200 ${heard}\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n` },
    { kind: 'set', path: 'pagination.hasMore', value: heard },
    { kind: 'set', path: 'error', value: heard },
    { kind: 'set', path: 'meta.requestId', value: secret },
    { kind: 'set', path: 'meta.timestamp', value: heard },
    { kind: 'reset', when: 'mid' },
  ]
}

const lookers: readonly (readonly string[])[] = [
  ['doctor'],
  ['doctor', '--format', 'json'],
  ['findings', '--all', '--format', 'ocsf'],
  ['config', 'print'],
  ['config', 'check'],
  ['checks'],
  ['metrics'],
  ['findings', '--all', '--format', 'json'],
  ['export', 'users'],
  ['export', 'api-clients', '--format', 'csv'],
  ['accept'],
  ['nonsense'],
]

function output({ stdout, stderr }: Ran): string {
  return `${stdout}\n${stderr}`
}

/** All output and files of the program, whatever happens to it. */
async function everything({
  world,
  logins,
  secrets,
  spoil,
}: SecretWorld): Promise<readonly (readonly [string, string])[]> {
  const observed: (readonly [string, string])[] = []
  const record = async (what: string, text: string | Promise<Ran>) => {
    observed.push([what, typeof text === 'string' ? text : output(await text)])
  }
  await record('first sync', world.run('sync'))
  for (const effect of echoes(secrets())) {
    const { id } = world.simulator.faults.add({ path: '/api/public/*', effect })
    world.pass(3_600_000)
    await record(`sync with ${JSON.stringify(effect).slice(0, 30)}`, world.run('sync', '--full'))
    world.simulator.faults.remove(id)
  }
  for (const args of lookers) await record(args.join(' '), world.run(...args))
  const daemon = await world.daemon()
  try {
    for (const path of '/ /metrics /healthz /readyz /api/v1/status /api/v1/checks /api/v1/findings?state=all'.split(
      ' ',
    ))
      for (const headers of logins) await record(path, await (await fetch(daemon.origin + path, { headers })).text())
    await record('odd', await roundTrip(daemon.address.port, `GET / HTTP/1.1\r\nX\u0000: ${secrets().at(-1)}\r\n\r\n`))
    await record('insides', inspect(daemon.session, { depth: 8, showHidden: true, maxStringLength: null }))
    await record('files beside a daemon', filesIn(world.folder))
  } finally {
    await daemon[Symbol.asyncDispose]()
  }
  await record('log of the daemon', daemon.logged())
  // The source goes bad after the token was fetched, and the tenant refuses it: it is fetched again in vain.
  const refuse = world.simulator.faults.add({
    path: '/api/public/users',
    effect: echoes(secrets())[3] ?? { kind: 'hang' },
  })
  const end = world.simulator.onRequest(({ endpoint }) => {
    if (endpoint === null) return
    end()
    spoil()
  })
  await record('sync with a source that goes bad', world.run('sync', '--full'))
  world.simulator.faults.remove(refuse.id)
  world.pass(3_600_000)
  for (const args of [['sync', '--full'], ['doctor'], ['config', 'check']])
    await record(`${args.join(' ')} with a spoilt source`, world.run(...args))
  await record('files', filesIn(world.folder))
  return observed
}

it.each(sourceNames)(
  'lets a token from %s out nowhere, at the finest level and whatever goes wrong',
  async (source) => {
    await using one = await secretWorld(source)
    const observed = await everything(one)
    expect(one.secrets().length).toBeGreaterThan(source === 'oauth2' ? 4 : 2)
    for (const secret of one.secrets()) expect(secret.length).toBeGreaterThan(20)
    expect(observed.filter(([, text]) => text.length > 20).length).toBeGreaterThan(40)
    for (const [what, text] of observed) expect([what, leaksIn(text, one.secrets())]).toEqual([what, []])
    const all = observed.map(([, text]) => text).join('\n')
    for (const reason of 'unauthorized server_error rate_limited redirect protocol client_error network'.split(' '))
      expect(all).toContain(reason)
  },
)

it('prints no part of the token when the certificate of the tenant is not trusted', async () => {
  const heard: string[] = []
  const server = createServer(selfSigned('127.0.0.1'), (request, response) => {
    heard.push(JSON.stringify(request.headers))
    response.end()
  })
  const port = await listening(server)
  await using one = await secretWorld('env')
  const { world } = one
  const file = join(world.folder, 'tenantwatch.yaml')
  writeFileSync(file, readFileSync(file, 'utf8').replace(/baseUrl: .*/, `baseUrl: https://127.0.0.1:${port}`))
  const text = output(await world.run('sync')) + output(await world.run('doctor')) + filesIn(world.folder)
  expect(text).toContain('"reason":"tls"')
  expect(leaksIn(text, one.secrets())).toEqual([])
  expect(heard).toEqual([])
})

/** Places of the configuration, in which `SECRET` does not belong. */
const pasted = [
  'auth: { token: SECRET }',
  'auth: SECRET',
  'auth: { token: { env: SECRET } }',
  'auth: { scheme: "Bearer SECRET", token: { env: TOKEN } }',
  'auth: { header: "X: SECRET", token: { env: TOKEN } }',
  'auth: { token: { SECRET: x } }',
  'auth: { token: { value: SECRET } }',
  'auth: { token: { oauth2: SECRET } }',
  'auth: { token: { oauth2: { tokenUrl: "https://a:SECRET@x", clientId: a, clientSecret: { env: TOKEN } } } }',
  'auth: { token: { oauth2: { tokenUrl: "https://x.example", clientId: a, clientSecret: SECRET } } }',
  'auth: { token: { env: TOKEN } }, api: { proxy: "ftp://a:SECRET@x" }',
  'auth: { token: { env: TOKEN } }, token: SECRET',
].map((own) => `tenants: [{ name: acme, baseUrl: "https://x.example", ${own} }]`)
for (const baseUrl of ['https://user:SECRET@x.example', 'https://x.example/?token=SECRET', 'https://SECRET@'])
  pasted.push(`tenants: [{ name: acme, baseUrl: "${baseUrl}", auth: { token: { env: TOKEN } } }]`)
pasted.push('tenants:\n  - name: acme\n    auth: { token: { env: "SECRET }\n')
pasted.push('tenants:\n  - name: acme\n    auth:\n\ttoken: SECRET\n')

it('repeats no token that was pasted into the configuration where none belongs', async () => {
  const secret = 'CANARY-9c1f44e7a0b25d3886'
  await using one = await secretWorld('env')
  for (const text of pasted) {
    writeFileSync(join(one.world.folder, 'tenantwatch.yaml'), text.replaceAll('SECRET', secret))
    for (const args of [['config', 'check'], ['sync'], ['config', 'print']]) {
      const ran = await one.world.run(...args)
      expect([text, ran.code]).toEqual([text, 2])
      expect(ran.stderr.length).toBeGreaterThan(20)
      expect([text, leaksIn(output(ran), [secret])]).toEqual([text, []])
    }
  }
})
