import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { checks } from '../../src/checks/index.ts'
import { type Simulator, type SimulatorOptions, startSimulator } from '../../src/simulator/index.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { daemon, placeFor, program, until } from './support/program.ts'

async function simulate(options: SimulatorOptions = {}): Promise<Simulator> {
  const simulator = await startSimulator({ controlPort: null, ...options })
  onTestFinished(() => simulator.close())
  return simulator
}

async function running(options: SimulatorOptions = {}, more?: string) {
  const simulator = await simulate(options)
  const place = placeFor(simulator, temporaryFolder(), more)
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

it('reports in one sentence that its port is taken, and leaves no lock behind', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void other.close())
  await once(other, 'listening')
  const address = other.address()
  const port = typeof address === 'object' ? address?.port : 0
  const place = placeFor(await simulate(), temporaryFolder())
  const { code, stderr } = await program(
    { ...place, env: { ...place.env, TENANTWATCH_LISTEN: `127.0.0.1:${port}` } },
    'run',
  ).ended
  expect(code).toBe(3)
  expect(stderr).toMatch(new RegExp(`^\\{"level":60,.*"msg":"Cannot listen .*${port}.*taken`, 'm'))
  expect(await program(place, 'sync').ended).toMatchObject({ code: 0 })
})

it('shows the truth from the mirror at once after a restart, before the tenant answers', async () => {
  const simulator = await simulate()
  const place = placeFor(simulator, temporaryFolder())
  await program(place, 'sync').ended
  const findings = JSON.parse((await program(place, 'findings', '--format', 'json').ended).stdout)
  simulator.faults.add({ effect: { kind: 'hang' } })
  const again = await daemon(place)
  const { text } = await again.get('/metrics')
  expect(text).toContain('tenantwatch_mirror_records{tenant="acme",resource="users"} 250')
  expect(JSON.parse((await again.get('/api/v1/findings')).text)).toHaveLength(findings.length)
})

it('outlives the reader of its output', async () => {
  const simulator = await simulate()
  const place = placeFor(
    simulator,
    temporaryFolder(),
    'log: { level: trace }\nschedule: { roles: { full: "* * * * * *" } }',
  )
  const one = await daemon(place)
  await until(async () => (await one.get('/readyz')).status === 200)
  one.child.stdout?.destroy()
  one.child.stderr?.destroy()
  const asked = simulator.requests.count()
  await until(() => simulator.requests.count() > asked + 3)
  expect((await one.get('/healthz')).status).toBe(200)
  expect(one.child.exitCode).toBeNull()
})

it('ends an export quietly when its reader has seen enough', async () => {
  const simulator = await simulate({ sizes: { users: 20_000 } })
  const place = placeFor(simulator, temporaryFolder(), 'userDetails: { perRun: 0 }')
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

it.each(['checks', 'metrics', 'export users', 'findings'])(
  'does not call %s a success on a full disk',
  async (command) => {
    const { place } = await running()
    const line = `"${process.execPath}" "${join(import.meta.dirname, '../../dist/tenantwatch.js')}" ${command} > /dev/full`
    const shell = spawn('sh', ['-c', line], { cwd: place.folder, env: place.env })
    let err = ''
    shell.stderr.on('data', (text) => {
      err += text
    })
    expect(await once(shell, 'close')).toEqual([3, null])
    expect(err).toMatch(/tenantwatch: standard output cannot be written \(ENOSPC\)\n$/)
  },
)
