import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { type CliOptions, cli } from './support/cli.ts'

const given = ['--tenant', 'acme', '--base-url', 'https://api.example.com'] as const

async function world(simulator: CliOptions['simulator'] = null) {
  const one = await cli({ simulator })
  delete one.env['TENANTWATCH_CONFIG']
  const init = (...args: readonly string[]) => one.run('config', 'init', ...args)
  return { ...one, init }
}

it.each([
  [['--token-env', 'ACME_TOKEN'], 'env: ACME_TOKEN'],
  [
    ['--token-file', '/run/secrets/acme', '--own-client-id', '5f0c2a58-32f0-4a6e-9a44-1f2d3c4b5a69'],
    'file: /run/secrets/acme',
  ],
  [['--token-env', 'ACME_TOKEN', '--header', 'X-Api-Key', '--scheme', ''], 'header: X-Api-Key\n      scheme: ""'],
])('writes a configuration that holds %s', async (token, written) => {
  const { init, run, read } = await world()
  const { code, stdout, stderr } = await init(...given, ...token)
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toMatch(/^Wrote config\/tenantwatch\.yaml\. Next:\n/)
  expect(read('config/tenantwatch.yaml')).toContain(written)
  const printed = await run('config', 'print')
  expect(printed.stdout).toContain('baseUrl: https://api.example.com')
  const before = read('config/tenantwatch.yaml')
  expect(await init(...given, ...token)).toMatchObject({ code: 2 })
  expect(read('config/tenantwatch.yaml')).toBe(before)
})

it('configures a tenant that can be read at once, in the file that is asked for', async () => {
  const { simulator, env, folder, run, init } = await world({})
  env['TENANTWATCH_STORE_PATH'] = join(folder, 'mirror.db')
  const config = ['--config', 'etc/watch.yaml']
  const tenant = ['--tenant', 'acme', '--base-url', simulator.baseUrl, '--token-env', 'ACME_TOKEN']
  const { stdout } = await init(...tenant, ...config)
  expect(stdout).toContain('export TENANTWATCH_CONFIG=etc/watch.yaml')
  expect(await run('sync', ...config)).toMatchObject({ code: 0 })
  env['TENANTWATCH_CONFIG'] = 'other.yaml'
  const again = await init(...tenant)
  expect(again.stdout).toMatch(/^Wrote other\.yaml\. /)
  expect(await run('sync')).toMatchObject({ code: 0 })
})

const url = ['--base-url', 'https://api.example.com']
const token = ['--token-env', 'A']
const pasted = 'ghp_secretdefghijklmnopqrstuvwxyz0123456789'

it.each([
  ['--token-file', given],
  ['--token-file', [...given, ...token, '--token-file', 'b']],
  ['tenants[0].name', ['--tenant', 'Acme!', ...url, ...token]],
  ['tenants[0].baseUrl', ['--tenant', 'acme', '--base-url', 'api.example.com', ...token]],
  ['api.allowInsecureHttp', ['--tenant', 'acme', '--base-url', 'http://api.example.com', ...token]],
  ['tenants[0].auth.token.env', [...given, '--token-env', '1A']],
  ['tenants[0].auth.token.env', [...given, '--token-env', pasted]],
  ['tenants[0].auth.token.file', [...given, '--token-file', pasted]],
  ['tenants[0].auth.header', [...given, ...token, '--header', 'Authorization: Bearer secret']],
  ['tenants[0].auth.scheme', [...given, ...token, '--scheme', 'a secret']],
  ['--tenant', [...url, ...token]],
])('names %s where it refuses %j in one sentence, and writes nothing', async (place, args) => {
  const { init, folder } = await world()
  const { code, stdout, stderr } = await init(...args)
  expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(place)])
  expect(stderr).not.toContain('secret')
  expect(stderr.trimEnd().replace(/\n\(.*--help.*\)$/, '')).not.toContain('\n')
  expect(existsSync(join(folder, 'config'))).toBe(false)
})

it('begins what is next with the token, where it is missing', async () => {
  const { init, env, write } = await world()
  let files = 0
  const firstStep = async (...args: readonly string[]) =>
    (await init(...given, ...args, '--config', `${files++}.yaml`)).stdout.split('\n')[1]?.replace(/ +/g, ' ')
  const paste = ' # paste the token, Enter, Ctrl-D'
  expect(await firstStep('--token-file', 'tok')).toBe(` (umask 077; cat > tok)${paste}`)
  expect(await firstStep('--token-file', "o'tok")).toBe(` (umask 077; cat > 'o'\\''tok')${paste}`)
  write('tok', 'x')
  expect(await firstStep('--token-file', 'tok')).toMatch(/^ export TENANTWATCH_CONFIG=2.yaml/)
  expect(await firstStep('--token-env', 'ACME_TOKENS')).toMatch(/^ export ACME_TOKENS=/)
  env['ACME_TOKENS'] = 'x'
  expect(await firstStep('--token-env', 'ACME_TOKENS')).toMatch(/^ export TENANTWATCH_CONFIG=/)
})
