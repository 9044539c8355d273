import { existsSync, mkdirSync } from 'node:fs'
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
})

it.each([
  [[...given], 'Give one of --token-env and --token-file: where tenantwatch finds the token'],
  [[...given, '--token-env', 'A', '--token-file', 'b'], 'Give one of --token-env and --token-file'],
  [
    ['--tenant', 'Acme!', '--base-url', 'https://api.example.com', '--token-env', 'A'],
    'tenantwatch: --tenant is "Acme!"; want a name',
  ],
  [
    ['--tenant', 'acme', '--base-url', 'api.example.com', '--token-env', 'A'],
    'tenantwatch: --base-url is "api.example.com"; want an http(s) URL',
  ],
  [
    [...given, '--token-env', 'my token'],
    'tenantwatch: --token-env is a text; want the name of an environment variable',
  ],
  [['--base-url', 'https://api.example.com', '--token-env', 'A'], '--tenant'],
])('refuses %j in one sentence, and writes nothing', async (args, sentence) => {
  const { init, folder } = await world()
  const { code, stdout, stderr } = await init(...args)
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toContain(sentence)
  expect(stderr.trimEnd().replace(/\n\(.*--help.*\)$/, '')).not.toContain('\n')
  expect(existsSync(join(folder, 'config'))).toBe(false)
})

it('names a folder that cannot be made', async () => {
  const { init, write, folder } = await world()
  mkdirSync(join(folder, 'there'))
  write('there/file', '')
  expect(await init(...given, '--token-env', 'A', '--config', 'there/file/c.yaml')).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^tenantwatch: there\/file\/c\.yaml cannot be written \(E\w+\)\n$/),
  })
})

it.skipIf(process.platform !== 'linux')('ends where the system says that a part of the path is missing', async () => {
  const { init } = await world()
  expect(await init(...given, '--token-env', 'A', '--config', '/proc/x/c.yaml')).toEqual({
    code: 2,
    stdout: '',
    stderr: 'tenantwatch: /proc/x/c.yaml cannot be written (ENOENT)\n',
  })
})
