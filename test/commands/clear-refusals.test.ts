import { expect, it } from 'vitest'
import { cli } from './support/cli.ts'

const pair = 'expected name=value, such as team=security, with another name than alertname and severity'

it.each([
  [
    ['rules', '--label', '1a=b'],
    `Invalid value of --label: the name before the "=" must begin with a letter or "_" and have only letters, digits and "_"; ${pair}`,
  ],
  [['rules', '--label', 'team'], `Invalid value of --label: there is no "="; ${pair}`],
  [
    ['rules', '--label', 'severity=b'],
    `Invalid value of --label: the name before the "=" cannot be used here; ${pair}`,
  ],
])('says what is wrong with %j and what would be right', async (args, sentence) => {
  const { run } = await cli({ simulator: null })
  expect(await run(...args)).toEqual({ code: 2, stdout: '', stderr: `tenantwatch: ${sentence}\n` })
})

it.each(['demo', 'simulate'])('offers no configuration for %s, which reads none', async (command) => {
  const { run } = await cli({ simulator: null })
  expect((await run(command, '--help')).stdout).not.toContain('--config')
  expect((await run('findings', '--help')).stdout).toContain('--config')
})
