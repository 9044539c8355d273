import { expect, it } from 'vitest'
import { openMirror } from '../../src/store/db/sqlite/sqlite-mirror.ts'
import { testServer } from '../api/support/test-server.ts'
import { cli } from './support/cli.ts'

const more =
  'notifications: [{ name: security, to: { slack: { env: SLACK } } }, { name: gone, to: { teams: { env: NO } } }]'

async function receiver(status: number) {
  const server = await testServer((_, response) => void response.writeHead(status).end())
  return server
}

it('sends a test message to the named target, and says whether it arrived', async () => {
  const world = await cli({ more })
  const good = await receiver(200)
  world.env['SLACK'] = `${good.url}/canary`
  expect(await world.run('notify', '--test', 'security')).toMatchObject({ code: 0, stdout: 'security: delivered\n' })
  expect(good.requests).toHaveLength(1)
  world.env['SLACK'] = `${(await receiver(403)).url}/canary`
  const refused = await world.run('notify', '--test', 'security')
  expect(refused).toMatchObject({ code: 3, stdout: expect.stringContaining('403') })
  expect(refused.stdout + refused.stderr).not.toContain('canary')
  expect(await world.run('notify', '--test', 'gone')).toMatchObject({ code: 3, stdout: expect.stringContaining('NO') })
})

it('lets the doctor name the targets that cannot be used, and those that messages do not reach', async () => {
  const world = await cli({ more })
  Object.assign(world.env, { SLACK: 'https://hooks.example.com/canary', NO: 'http://hooks.example.com/canary' })
  await world.run('sync')
  const levels = async () => {
    const { stdout } = await world.run('doctor', '--format', 'json')
    expect(stdout).not.toContain('canary')
    const found = (JSON.parse(stdout) as { subject: string; level: string; text: string }[]).filter(
      ({ subject }) => subject === 'notifications',
    )
    return found.map(({ level, text }) => `${level} ${/security|gone/.exec(text)?.[0]}`)
  }
  expect(await levels()).toEqual(['fail gone', 'ok security'])
  {
    await using mirror = openMirror(world.store, 'engine')
    await mirror.saveNotificationPosition(1, 'security', { eventId: 1, failingSince: 1, problem: 'answered 500' })
  }
  expect(await levels()).toEqual(['fail security', 'fail gone'])
})
