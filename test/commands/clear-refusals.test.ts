import { expect, it } from 'vitest'
import { cli } from './support/cli.ts'

it.each([
  ['--label', '1a=b'],
  ['--label', 'team'],
  ['--label', 'severity=b'],
  ['--annotation', 'summary=x'],
  ['--label', 'team={{ x }}'],
  ['--severity', 'low=page'],
])('refuses %s %s, and says what would be right', async (option, value) => {
  const { run } = await cli({ simulator: null })
  const { code, stdout, stderr } = await run('rules', option, value)
  expect([code, stdout, stderr]).toEqual([2, '', expect.stringMatching(`^tenantwatch: Invalid value of ${option}: `)])
})

it.each(['demo', 'simulate'])('offers no configuration for %s, which reads none', async (command) => {
  const { run } = await cli({ simulator: null })
  expect((await run(command, '--help')).stdout).not.toContain('--config')
  expect((await run('findings', '--help')).stdout).toContain('--config')
})
