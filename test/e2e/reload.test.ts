import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../support/temporary.ts'
import { daemon, type Place, program, simulate, until } from './support/program.ts'

const gauge = /^tenantwatch_config_last_reload_successful (\d)$/m
async function scene() {
  const simulator = await simulate({ sizes: { users: 30 } })
  const folder = temporaryFolder()
  const write = (file: string, text: string) => writeFileSync(join(folder, file), text)
  const tenant = (name: string) =>
    `  - { name: ${name}, baseUrl: "${simulator.baseUrl}", auth: { token: { file: ${name}.token } } }\n`
  const configure = (names: readonly string[], more = '') =>
    write(
      'tenantwatch.yaml',
      `tenants:\n${names.map(tenant).join('')}server: { listen: "127.0.0.1:0"${more} }\nstore: { path: mirror.db }\n`,
    )
  write('acme.token', simulator.tokens.reader)
  configure(['acme'])
  const place: Place = { folder, env: { TENANTWATCH_CONFIG: 'tenantwatch.yaml' } }
  return { simulator, write, configure, place }
}

it('loads the configuration again for SIGHUP, a broken one and a good one', async () => {
  const { write, configure, place } = await scene()
  const one = await daemon(place)
  await until(async () => (await one.get('/readyz')).status === 200)
  const reloaded = async (outcome: string) => {
    one.child.kill('SIGHUP')
    await until(async () => gauge.exec((await one.get('/metrics')).text)?.[1] === outcome)
  }
  write('tenantwatch.yaml', 'tenants: [{ name: acme, baseUrl: ftp://x }]\n')
  await reloaded('0')
  configure(['acme'])
  await reloaded('1')
  one.child.kill('SIGTERM')
  expect(await one.ended).toMatchObject({ code: 0 })
})

it('ends a sync whose terminal is gone as a stop does, with its summary', async () => {
  const { simulator, place } = await scene()
  simulator.faults.add({ effect: { kind: 'hang' } })
  const one = program(place, 'sync')
  await simulator.requests.waitFor(({ path }) => path.startsWith('/api/public/'))
  one.child.kill('SIGHUP')
  const { code, signal, stdout } = await one.ended
  expect([code, signal]).toEqual([3, null])
  expect(stdout).toContain('aborted')
})
