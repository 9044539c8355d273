import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { Command } from 'commander'
import { expect, it, onTestFinished } from 'vitest'
import { createMcpServer } from '../../src/commands/mcp/server.ts'
import type { FindingView } from '../../src/model/finding.ts'
import { fakeIo } from '../support/fake-io.ts'
import { aDay, type Cli, cli, json, synced } from './support/cli.ts'

interface Row extends FindingView {
  readonly checks: readonly { readonly check: string; readonly status: string }[]
}

interface Answer {
  readonly rows: readonly Row[]
  readonly more: number
  readonly notes: readonly string[]
}

/** What an assistant is answered, at the time of the world. */
async function assistant({ env, folder, now }: Cli, details = false) {
  const other = fakeIo({ env, folder })
  other.pass(now() - other.now())
  const { server } = createMcpServer({ io: other.io().io, command: new Command(), details })
  const client = new Client({ name: 'test', version: '1' })
  const [mine, its] = InMemoryTransport.createLinkedPair()
  await Promise.all([server.connect(its), client.connect(mine)])
  onTestFinished(() => client.close())
  const raw = async (name: string, asked: object = {}) => {
    const { content, isError } = await client.callTool({ name, arguments: { ...asked } })
    return { said: (content as { text: string }[]).map((one) => one.text).join(''), isError: isError === true }
  }
  return {
    client,
    raw,
    ask: async (name: string, asked?: object) => JSON.parse((await raw(name, asked)).said) as Answer,
  }
}

it('offers questions only, each with what it takes', async () => {
  const { client } = await assistant(await cli())
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toEqual(['findings', 'explain', 'history', 'posture', 'expiring'])
  for (const { annotations, inputSchema, description } of tools) {
    expect([annotations?.readOnlyHint, inputSchema.type, description]).toEqual([true, 'object', expect.any(String)])
  }
})

it('names what is unknown: an answer without findings is not a pass', async () => {
  const { ask } = await assistant(
    await cli({ tenants: [{ name: 'acme', token: 'none' }] }).then(async (world) => {
      await world.run('sync')
      return world
    }),
  )
  const { rows, notes } = await ask('findings')
  expect([rows, notes]).toEqual([[], [expect.stringContaining('acme')]])
  expect((await ask('expiring')).notes).toEqual([expect.stringContaining('api-clients')])
})

it('names no person and no file unless details are exposed', async () => {
  const waiver = 'id: W-1, check: document-name-unique, entity: "*", tenant: acme, owner: Jane Roe'
  const world = await synced({
    simulator: { sizes: { users: 30, documents: 20 } },
    more: `waivers: [{ ${waiver}, reason: Jane Roe knows about these documents, expires: 2026-12-31 }]`,
  })
  const { primary } = world.simulator
  const [client] = primary['api-clients'].all()
  primary['api-clients'].update(client?.clientId ?? '', { name: 'of ada@example.com' })
  for (const { userId } of primary.users.all()) primary.users.update(userId, { lastName: 'Lovelace' })
  primary['authentication-settings'].update(0, { ssoEnforced: true })
  world.pass(aDay)
  await world.run('sync', '--full')
  const [drift] = await json<{ id: string }>(world, 'accept')
  const accepted = await world.run('accept', drift?.id ?? '', '--reason', 'Agreed with Jane Roe', '--by', 'Jane Roe')
  expect(accepted).toMatchObject({ code: 0 })
  const all = await json<FindingView>(world, 'findings', '--all')
  const told = async (details: boolean) => {
    const { raw } = await assistant(world, details)
    const checks = [...new Set(all.map(({ check }) => check))]
    const explained = checks.map((check) => all.find((one) => one.check === check)?.fingerprint)
    const answers = [
      ...(await Promise.all(checks.map((check) => raw('findings', { check, all: true })))),
      ...(await Promise.all(explained.map((fingerprint) => raw('explain', { fingerprint })))),
      ...(await Promise.all(
        ['history', 'posture', 'expiring'].map((name) => raw(name, name === 'expiring' ? { days: 400 } : {})),
      )),
    ]
    expect(answers.filter(({ isError }) => isError)).toEqual([])
    return answers.map(({ said }) => said).join('\n')
  }
  const [hidden, exposed] = [await told(false), await told(true)]
  const files = primary.documents.all().map(({ filename }) => filename)
  const names = ['Jane Roe', 'Lovelace', 'ada@example.com', ...files, ...primary.users.all().map(({ email }) => email)]
  expect(names.filter((name) => hidden.includes(name))).toEqual([])
  for (const name of ['Jane Roe', 'Lovelace', 'ada@example.com']) expect(exposed).toContain(name)
  expect(files.some((name) => exposed.includes(name))).toBe(true)
})

it.each([
  ['findings', { tenant: 'acne' }, 'acme'],
  ['findings', { check: 'user-mfa-enroled' }, 'user-mfa-enrolled'],
  ['findings', { minSeverty: 'high' }, 'Unrecognized key: "minSeverty"'],
  ['explain', { fingerprint: '00000000' }, 'fingerprint'],
  ['posture', { at: '2027-01-01' }, 'future'],
])('refuses a question to %s with %j', async (name, asked, hint) => {
  const { raw } = await assistant(await synced({ simulator: { sizes: { users: 3, documents: 3 } } }))
  expect(await raw(name, asked)).toEqual({ isError: true, said: expect.stringContaining(hint) })
})

it('writes nothing but the protocol to standard output, whatever else it reads, and ends with its input', async () => {
  const { env, folder } = await synced({ simulator: { sizes: { users: 3, documents: 3 } } })
  const program = new URL('../../src/main.ts', import.meta.url).pathname
  const child = spawn(process.execPath, [program, 'mcp'], { cwd: folder, env: { ...env } })
  onTestFinished(() => void child.kill())
  const ended = new Promise((resolve) => child.once('close', resolve))
  const clientInfo = { name: 'test', version: '1' }
  const opening = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }
  for (const message of [
    { id: 1, method: 'initialize', params: opening },
    { method: 'notifications/initialized' },
    { id: 2, method: 'tools/call', params: { name: 'posture', arguments: {} } },
    { id: 3, method: 'tools/call', params: { name: 'posture', arguments: { tenant: 'nobody' } } },
  ])
    child.stdin.write(`garbage {\n[1]\n${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  child.stdin.end()
  const lines = (await text(child.stdout)).trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line)).map(({ jsonrpc, id, result }) => [jsonrpc, id, result.isError])).toEqual(
    [
      ['2.0', 1, undefined],
      ['2.0', 2, undefined],
      ['2.0', 3, true],
    ],
  )
  expect(await ended).toBe(0)
})
