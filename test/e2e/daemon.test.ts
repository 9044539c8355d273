import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { checks } from '../../src/checks/index.ts'
import type { SimulatorOptions } from '../../src/simulator/index.ts'
import { daemon, program, until, world } from './support/program.ts'

async function running(options: SimulatorOptions = {}, more?: string) {
  const { simulator, place } = await world(options, more)
  const one = await daemon(place)
  await until(async () => (await one.get('/readyz')).status === 200)
  return { ...one, simulator, place, get: one.get }
}

it('starts, syncs by itself and answers on every path', async () => {
  const { get } = await running()
  expect(await get('/healthz')).toMatchObject({ status: 200, text: 'The engine evaluates\n' })
  expect(await get('/readyz')).toMatchObject({ status: 200, text: 'Every resource was tried\n' })
  const metrics = await until(async () => {
    const { text } = await get('/metrics')
    return text.includes('tenantwatch_mirror_records{tenant="acme",resource="users"} 250') && text
  })
  expect(metrics).toMatch(/^tenantwatch_findings\{.*check="api-client-secret-not-expired".*\} 2$/m)
  expect(metrics).toMatch(/^tenantwatch_build_info\{version="\d+\.\d+\.\d+"\} 1$/m)
  const page = await get('/')
  expect(page.headers.get('content-type')).toMatch(/^text\/html/)
  expect(page.text).toContain('acme')
  const status = JSON.parse((await get('/api/v1/status')).text)
  expect(status.tenants).toMatchObject([{ tenant: 'acme', holds: [] }])
  expect(JSON.parse((await get('/api/v1/checks')).text)).toHaveLength(checks.length)
  const findings = JSON.parse((await get('/api/v1/findings')).text)
  expect(findings.length).toBeGreaterThan(100)
  expect((await get('/nothing-here')).status).toBe(404)
})

it('shows the truth from the mirror at once after a restart, before the tenant answers', async () => {
  const { simulator, place } = await world()
  await program(place, 'sync').ended
  const findings = JSON.parse((await program(place, 'findings', '--format', 'json').ended).stdout)
  simulator.faults.add({ effect: { kind: 'hang' } })
  const again = await daemon(place)
  const { text } = await again.get('/metrics')
  expect(text).toContain('tenantwatch_mirror_records{tenant="acme",resource="users"} 250')
  expect(JSON.parse((await again.get('/api/v1/findings')).text)).toHaveLength(findings.length)
})

it('outlives the reader of its output', async () => {
  const often = 'log: { level: trace }\nschedule: { roles: { full: "* * * * * *" } }'
  const { simulator, ...one } = await running({}, often)
  one.child.stdout?.destroy()
  one.child.stderr?.destroy()
  const asked = simulator.requests.count()
  await until(() => simulator.requests.count() > asked + 3)
  expect((await one.get('/healthz')).status).toBe(200)
  expect(one.child.exitCode).toBeNull()
})

it('ends an export quietly when its reader has seen enough', async () => {
  const { place } = await world({ sizes: { users: 20_000 } }, 'userDetails: { perRun: 0 }')
  expect(await program(place, 'sync', '--resource', 'users').ended).toMatchObject({ code: 0 })
  const command = `"${process.execPath}" "${join(import.meta.dirname, '../../dist/tenantwatch.js')}" export users | head -n 1`
  const shell = spawn('sh', ['-c', command], { cwd: place.folder, env: { ...place.env, PATH: process.env['PATH'] } })
  let [out, err] = ['', '']
  shell.stdout.on('data', (text) => (out += text))
  shell.stderr.on('data', (text) => (err += text))
  await once(shell, 'close')
  expect(JSON.parse(out)).toMatchObject({ userId: expect.any(Number) })
  expect(err).toBe('')
})

it('does not call a command a success on a full disk', async () => {
  const { place } = await running()
  for (const command of ['checks', 'metrics', 'export users', 'findings']) {
    const line = `"${process.execPath}" "${join(import.meta.dirname, '../../dist/tenantwatch.js')}" ${command} > /dev/full`
    const shell = spawn('sh', ['-c', line], { cwd: place.folder, env: place.env })
    let err = ''
    shell.stderr.on('data', (text) => {
      err += text
    })
    expect([command, ...(await once(shell, 'close'))]).toEqual([command, 3, null])
    expect(err).toMatch(/standard output cannot be written \(ENOSPC\)\n$/)
  }
})
