import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hash } from 'bcrypt'
import { expect, it } from 'vitest'
import type { FaultEffect } from '../../src/simulator/index.ts'
import { filesIn } from '../secrets/support/files.ts'
import { leaksIn } from '../secrets/support/leaks.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { daemon, placeFor, simulate, until } from './support/program.ts'

const often =
  'schedule: { roles: { full: "* * * * * *" }, users: { incremental: "* * * * * *", full: "*/3 * * * * *" } }'

/** A place whose token comes from a command that lies outside of it. Other sources: test/secrets/secrecy.test.ts. */
async function secretPlace(more: string) {
  const simulator = await simulate({ sizes: { users: 20, documents: 10 } })
  const token = simulator.tokens.reader
  const place = placeFor(simulator, temporaryFolder(), more)
  const script = join(temporaryFolder(), 'token')
  writeFileSync(script, `sleep 0.05; echo ${token}`)
  const config = join(place.folder, 'tenantwatch.yaml')
  const text = readFileSync(config, 'utf8').replace('{ env: ACME_TOKEN }', `{ command: [/bin/sh, ${script}] }`)
  writeFileSync(config, text)
  return { simulator, place: { ...place, env: { ...place.env, ACME_TOKEN: 'unset' } }, token }
}

/** Answers of a tenant that echoes each request. */
function echoes(secret: string): readonly FaultEffect[] {
  const heard = `Bearer ${secret} ${Buffer.from(secret).toString('base64')} ${encodeURIComponent(secret)}`
  const headers = { location: `http://127.0.0.1:9/${secret}`, 'x-heard': heard }
  return [
    { kind: 'status', status: 400, code: secret, message: heard, headers },
    { kind: 'status', status: 401, code: secret, message: heard, headers },
    { kind: 'body', status: 307, body: heard, headers },
    { kind: 'body', body: `{"data": ${heard}` },
    { kind: 'raw', bytes: `HTTP/1.1 200 OK\r\nbad header ${heard}\r\n\r\n` },
  ]
}

/** Command lines of a process and of those it started. */
function commandLines(pid: number): readonly string[] {
  return readdirSync('/proc').flatMap((one) => {
    try {
      const parent = /^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${one}/status`, 'latin1'))?.[1]
      return Number(one) === pid || Number(parent) === pid ? [readFileSync(`/proc/${one}/cmdline`, 'latin1')] : []
    } catch {
      return []
    }
  })
}

it('lets a token and a password out by no process and no command line, whatever happens while it runs', async () => {
  const { simulator, place, token } = await secretPlace(`log: { level: trace }\n${often}`)
  const passwords = ['CANARY-right-7b1d90c4ee52', 'CANARY-wrong-3f8a26d97c10']
  const [right, wrong] = passwords.map((password) => ({
    authorization: `Basic ${Buffer.from(`alice:${password}`).toString('base64')}`,
  }))
  const config = join(place.folder, 'tenantwatch.yaml')
  writeFileSync(join(place.folder, 'web.yaml'), `basic_auth_users: { alice: "${await hash(passwords[0] ?? '', 4)}" }\n`)
  writeFileSync(config, readFileSync(config, 'utf8').replace('server: {', 'server: { webConfig: web.yaml,'))
  const one = await daemon(place)
  await until(async () => (await one.get('/readyz')).status === 200)
  const observed: string[] = []
  const lines = new Set<string>()
  for (const effect of echoes(token)) {
    const { id } = simulator.faults.add({ path: '/api/public/*', effect })
    const asked = simulator.requests.count()
    await until(() => {
      for (const line of commandLines(one.pid)) lines.add(line)
      return simulator.requests.count() > asked
    })
    for (const path of ['/', '/metrics', '/api/v1/status', '/api/v1/findings?state=all']) {
      const [shown, refused] = [await one.get(path, right), await one.get(path, wrong)]
      expect([shown.status, refused.status]).toEqual([200, 401])
      observed.push(shown.text, refused.text)
    }
    simulator.faults.remove(id)
    const up = 'tenantwatch_sync_up{tenant="acme",resource="roles",mode="full"} 1'
    await until(async () => (await one.get('/metrics', right)).text.includes(up))
  }
  one.child.kill('SIGUSR1')
  one.child.kill('SIGHUP')
  await until(async () => (await one.get('/healthz')).status === 200)
  observed.push(filesIn(place.folder))
  // An empty log would prove nothing.
  await until(() => one.stderr.split('\n').length > 20)
  one.child.kill('SIGTERM')
  const { code, stdout, stderr } = await one.ended
  expect(code).toBe(0)
  expect(stderr).not.toMatch(/debugger/i)
  observed.push(stdout, stderr, filesIn(place.folder), ...lines)
  expect(lines.size).toBeGreaterThan(0)
  for (const text of observed) expect(leaksIn(text, [token, ...passwords])).toEqual([])
})
