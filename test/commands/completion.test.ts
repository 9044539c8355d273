import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { checks } from '../../src/checks/index.ts'
import { resourceNames } from '../../src/model/resource-names.ts'
import { severities } from '../../src/model/severity.ts'
import { groupings } from '../../src/report/finding-groups.ts'
import { cli } from './support/cli.ts'

/** What bash offers for the last of these words. */
async function offered(...words: readonly string[]): Promise<readonly string[]> {
  const { run } = await cli()
  const { code, stdout } = await run('completion', 'bash')
  expect(code).toBe(0)
  const script = `${stdout}\nCOMP_WORDS=(tenantwatch "$@"); COMP_CWORD=$#; _tenantwatch; echo "\${COMPREPLY[*]}"`
  return execFileSync('bash', ['-c', script, 'bash', ...words], { encoding: 'utf8' })
    .trim()
    .split(' ')
}

it('offers commands, inner commands and options', async () => {
  expect(await offered('fin')).toEqual(['findings'])
  expect(await offered('--config', 'x.yaml', 'sync', '--f')).toEqual(['--full', '--fail-on'])
  expect(await offered('config', 'i')).toEqual(['init'])
  expect(await offered('config', 'check', '--s')).toEqual(['--syntax-only'])
  expect(await offered('hel')).toEqual(['help'])
  expect(await offered('help', 'expl')).toEqual(['explain'])
  expect(await offered('config', 'init', '--token')).toEqual(['--token-env', '--token-file'])
})

it('offers no configuration to commands that read none', async () => {
  expect(await offered('demo', '--')).toEqual(['--port', '--users', '--once', '--help'])
  expect(await offered('simulate', '--c')).toEqual(['--control-port'])
})

it('offers the values that an option or argument takes', async () => {
  expect(await offered('sync', '--fail-on', '')).toEqual([...severities])
  expect(await offered('export', 'd')).toEqual(['documents'])
  expect(await offered('rules', '--format', 'g')).toEqual(['grafana'])
  expect(await offered('findings', '--check', '')).toEqual(checks.map(({ id }) => id))
  expect(await offered('findings', '--check', 'user-m')).toEqual(['user-mfa-enrolled'])
  expect(await offered('findings', '--severity', '')).toEqual([...severities])
  expect(await offered('findings', '--fail-on', '')).toEqual([...severities])
  expect(await offered('findings', '--group', '')).toEqual([...groupings])
  expect(await offered('history', '--resource', 'u')).toEqual(['users'])
  expect(await offered('dashboards', 'post')).toEqual(['posture'])
})

it('offers values after an equals sign, and options beside words only after a dash', async () => {
  // Bash splits there.
  expect(await offered('rules', '--format', '=')).toContain('grafana')
  expect(await offered('rules', '--format', '=', 'g')).toEqual(['grafana'])
  expect(await offered('export', '')).toEqual([...resourceNames].toSorted())
  expect(await offered('export', '--')).toEqual(['--format', '--tenant', '--limit', '--config', '--help'])
})

it('offers nothing where a value is free, and options again after it', async () => {
  for (const words of [
    ['findings', '--tenant', ''],
    ['findings', '--since', ''],
    ['rules', '--severity', ''],
    ['config', 'init', '--base-url', ''],
    ['findings', '--config', ''],
  ])
    expect([words, await offered(...words)]).toEqual([words, ['']])
  expect(await offered('findings', '--tenant', 'acme', '--since')).toEqual(['--since'])
})

it.each([
  ['bash', ['"findings --tenant") COMPREPLY=(); compopt +o default 2>/dev/null; return ;;']],
  ['bash', ['"findings --config") COMPREPLY=(); return ;;']],
  ['zsh', ['"findings --tenant") return ;;', '"findings --config") _files; return ;;', 'list="info low medium']],
  [
    'fish',
    [
      "-l check -xa 'api-client-least-privilege ",
      "-l check -x -d 'only findings of this check'\n",
      '-l tenant -x -d',
      '-l config -rF -d',
      'complete -c tenantwatch -f\n',
    ],
  ],
])('distinguishes files, free values and lists for %s', async (shell, parts) => {
  const { stdout } = await (await cli()).run('completion', shell)
  for (const part of parts) expect(stdout).toContain(part)
})

it.each(['zsh', 'fish'])('knows every command and value for %s, too', async (shell) => {
  const { run } = await cli()
  const { stdout } = await run('completion', shell)
  for (const word of ['migrate-store', 'token-env', 'authentication-settings', 'ndjson']) expect(stdout).toContain(word)
})

it('refuses another shell', async () => {
  const { run } = await cli()
  expect(await run('completion', 'cmd')).toMatchObject({ code: 2, stdout: '' })
})
