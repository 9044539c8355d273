import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { cli } from './support/cli.ts'

const given = ['--tenant', 'acme', '--base-url', 'https://api.example.com'] as const

async function world() {
  const one = await cli({ simulator: null })
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
  expect(await init(...given, ...token)).toMatchObject({
    code: 2,
    stderr: 'tenantwatch: config/tenantwatch.yaml cannot be written (it exists, and is not overwritten)\n',
  })
})

it('configures a tenant that can be read at once, in the file that is asked for', async () => {
  const { simulator, env, folder, run, init } = await (async () => {
    const one = await cli()
    delete one.env['TENANTWATCH_CONFIG']
    return { ...one, init: (...args: readonly string[]) => one.run('config', 'init', ...args) }
  })()
  env['ACME_TOKEN'] = simulator.tokens.reader
  env['TENANTWATCH_STORE_PATH'] = join(folder, 'mirror.db')
  const config = ['--config', 'etc/watch.yaml']
  const { stdout } = await init(
    '--tenant',
    'acme',
    '--base-url',
    simulator.baseUrl,
    '--token-env',
    'ACME_TOKEN',
    ...config,
  )
  expect(stdout).toContain('tenantwatch doctor --config etc/watch.yaml')
  expect(await run('sync', ...config)).toMatchObject({ code: 0 })
  env['TENANTWATCH_CONFIG'] = 'other.yaml'
  const again = await init('--tenant', 'acme', '--base-url', simulator.baseUrl, '--token-env', 'ACME_TOKEN')
  expect(again.stdout).toMatch(/^Wrote other\.yaml\. /)
  expect(await run('sync')).toMatchObject({ code: 0 })
})

it.each([
  [[...given], 'Give one of --token-env and --token-file'],
  [[...given, '--token-env', 'A', '--token-file', 'b'], 'cannot be used with option'],
  [
    ['--tenant', 'Acme!', '--base-url', 'https://api.example.com', '--token-env', 'A'],
    'tenantwatch: `tenants[0].name` is "Acme!"; expected a name',
  ],
  [
    ['--tenant', 'acme', '--base-url', 'api.example.com', '--token-env', 'A'],
    'tenantwatch: `tenants[0].baseUrl` is "api.example.com"; expected an http(s) URL',
  ],
  [
    ['--tenant', 'acme', '--base-url', 'http://api.example.com', '--token-env', 'A'],
    'tenantwatch: `tenants[0].baseUrl` is "http://api.example.com"; expected "https://api.example.com", or `api.allowInsecureHttp: true` in a configuration file',
  ],
  [
    [...given, '--token-env', '1A'],
    'tenantwatch: `tenants[0].auth.token.env` is a string; expected the name of an environment variable',
  ],
  [
    [...given, '--token-env', 'A', '--header', 'x api key'],
    'tenantwatch: `tenants[0].auth.header` is a string; expected the name of a header that can carry the token',
  ],
  [
    [...given, '--token-env', 'A', '--header', 'Authorization: Bearer secret'],
    'tenantwatch: `tenants[0].auth.header` is a string; expected the name of a header',
  ],
  [
    [...given, '--token-env', 'A', '--header', 'Bearer eyJhbGciOiJIUzI1NiJ9.e30'],
    'tenantwatch: `tenants[0].auth.header` is a string; expected the name of a header',
  ],
  [
    [...given, '--token-env', 'A', '--scheme', 'a b'],
    'tenantwatch: `tenants[0].auth.scheme` is a string; expected one word such as Bearer, or "" to send the bare token',
  ],
  [['--base-url', 'https://api.example.com', '--token-env', 'A'], 'tenantwatch: Required option'],
])('refuses %j in one sentence, and writes nothing', async (args, sentence) => {
  const { init, folder } = await world()
  const { code, stdout, stderr } = await init(...args)
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toContain(sentence)
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
  expect(await firstStep('--token-file', 'tok')).toMatch(/^ tenantwatch doctor /)
  expect(await firstStep('--token-env', 'ACME_TOKENS')).toMatch(/^ export ACME_TOKENS=/)
  env['ACME_TOKENS'] = 'x'
  expect(await firstStep('--token-env', 'ACME_TOKENS')).toMatch(/^ tenantwatch doctor /)
})

it('replaces no file', async () => {
  const { init, read, write } = await world()
  write('watch.yaml', '# Ours\n')
  expect((await init(...given, '--token-env', 'A', '--config', 'watch.yaml')).code).toBe(2)
  expect(read('watch.yaml')).toBe('# Ours\n')
})
