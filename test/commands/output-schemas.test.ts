import { expect, it } from 'vitest'
import { commandOutputs } from '../../src/web/openapi/command-schemas.ts'
import { openApiDocument } from '../../src/web/openapi/document.ts'
import { components } from '../../src/web/openapi/schemas.ts'
import { problems } from '../web/support/json-schema.ts'
import { aDay, type Cli, synced } from './support/cli.ts'

const document = JSON.parse(JSON.stringify(openApiDocument('1.2.3', [])))

/** Deviations of what a command prints from its schema. */
async function wrongIn({ run }: Cli, schema: keyof typeof commandOutputs, ...args: readonly string[]) {
  const { code, stdout } = await run(...args, '--format', 'json')
  expect(code).toBe(0)
  const printed: unknown = JSON.parse(stdout)
  const $ref = `#/components/schemas/${components.get(commandOutputs[schema])?.id}`
  const elements = Array.isArray(printed) ? printed : [printed]
  expect(elements).not.toEqual([])
  return elements.flatMap((one) => problems(one, { $ref }, document))
}

const more = `waivers:
  - { id: W-1, check: user-mfa-enrolled, entity: "*", tenant: acme, owner: ops, reason: Until the roll-out has ended, expires: 2026-04-30 }
`

it('describes in the OpenAPI document what commands print as JSON', async () => {
  const world = await synced({ simulator: { sizes: { users: 60, documents: 60 } }, more })
  const { primary } = world.simulator
  const [first, second] = [...primary.state.users()].map(({ userId }) => userId)
  primary.updateUser(first ?? 0, { firstName: 'Else' })
  primary.updateUser(second ?? 0, { raw: { mfaStatus: 'true' } })
  primary.setSettings({ mfaEnabled: false })
  primary.removeDocuments(0.6)
  for (let n = 0; n < 2; n++) {
    world.pass(aDay)
    await world.run('sync', '--full')
  }
  expect(await wrongIn(world, 'historyEntry', 'history')).toEqual([])
  expect(await wrongIn(world, 'expiring', 'expiring', '--days', '365')).toEqual([])
  expect(await wrongIn(world, 'checkFacts', 'checks')).toEqual([])
  expect(await wrongIn(world, 'accepting', 'accept')).toEqual([])
  expect(await wrongIn(world, 'quarantined', 'doctor', '--quarantine')).toEqual([])
  const found: readonly { readonly id: string; readonly kind: string }[] = JSON.parse(
    (await world.run('accept', '--format', 'json')).stdout,
  )
  const [hold, drift] = ['hold', 'drift'].map((kind) => found.find((one) => one.kind === kind)?.id ?? '')
  expect(await wrongIn(world, 'heldRecord', 'accept', hold ?? '', '--list')).toEqual([])
  expect(await wrongIn(world, 'heldRecord', 'accept', hold ?? '', '--list', '--details')).toEqual([])
  for (const id of [hold, drift])
    expect((await world.run('accept', id ?? '', '--reason', 'Agreed with the board on 3 May')).code).toBe(0)
  expect(await wrongIn(world, 'historyEntry', 'history')).toEqual([])
  expect(await wrongIn(world, 'accepting', 'accept')).toEqual([])
})
