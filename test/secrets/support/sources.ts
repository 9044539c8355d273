import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { hash } from 'bcrypt'
import { openWorld, type World } from '../../hostile/support/world.ts'
import { temporaryRoot } from '../../support/temporary-root.ts'

export const sourceNames = ['env', 'file', 'command', 'oauth2'] as const
export type SourceName = (typeof sourceNames)[number]

/** The password of the page, and a wrong one that somebody tries. */
const passwords = ['CANARY-right-7b1d90c4ee52', 'CANARY-wrong-3f8a26d97c10'] as const

/** A world whose token comes from one kind of source, outside of the world's own folder. */
export interface SecretWorld extends AsyncDisposable {
  readonly world: World
  /** Headers of somebody who knows the password of the page, and of somebody who does not. */
  readonly logins: readonly Readonly<Record<string, string>>[]
  /** All secrets in use so far, to be looked for. */
  secrets(): readonly string[]
  /** Makes the source unusable in the way of its kind, with the secret in all its output. */
  spoil(): void
}

export async function secretWorld(source: SourceName): Promise<SecretWorld> {
  const folder = mkdtempSync(join(temporaryRoot, 'tenantwatch-secret-'))
  const path = join(folder, 'token')
  const login = await tokenServer()
  const yaml = {
    env: '{ env: TOKEN }',
    file: `{ file: ${path} }`,
    command: `{ command: [/bin/sh, ${path}] }`,
    oauth2: `{ oauth2: { tokenUrl: "${login.url}", clientId: $ID, clientSecret: { env: CLIENT_SECRET } } }`,
  }[source]
  const sizes = { users: 20, documents: 10 }
  const simulator = { problems: false, oauthTokenSeconds: 600, sizes }
  const server = 'webConfig: web.yaml'
  const world = await openWorld({ simulator, token: yaml, clientIdOf: 'reader', more: 'freshness: {}', server })
  writeFileSync(join(world.folder, 'web.yaml'), `basic_auth_users: { alice: "${await hash(passwords[0], 4)}" }\n`)
  const { tokens, credentials, tokenUrl } = world.simulator
  login.target = tokenUrl
  const token = tokens.reader
  if (source !== 'env') delete world.env['TOKEN']
  if (source === 'file') writeFileSync(path, `${token}\n`)
  if (source === 'command') writeFileSync(path, `echo ${token}`)
  if (source === 'oauth2') world.env['CLIENT_SECRET'] = credentials.reader.clientSecret
  return {
    world,
    logins: passwords.map((password) => ({ authorization: `Basic ${btoa(`alice:${password}`)}` })),
    secrets: () => {
      const tokens = source === 'oauth2' ? [credentials.reader.clientSecret, ...login.issued] : [token]
      return [...passwords, ...tokens]
    },
    spoil() {
      if (source === 'env') world.env['TOKEN'] = `${token} with a blank`
      if (source === 'file') writeFileSync(path, `Bearer ${token}`)
      if (source === 'command') writeFileSync(path, `echo ${token} >&2; exit 3`)
      if (source === 'oauth2') login.refuse = true
    },
    async [Symbol.asyncDispose]() {
      await world[Symbol.asyncDispose]()
      await login[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** A token endpoint that forwards requests and records the issued tokens; it can refuse, and echo each request. */
export async function tokenServer() {
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    if (state.refuse) {
      const observed = {
        error: 'invalid_client',
        error_description: body,
        heard: Object.fromEntries(new URLSearchParams(body)),
      }
      response.writeHead(401, { 'content-type': 'application/json', 'x-heard': encodeURIComponent(body) })
      response.end(JSON.stringify(observed))
      return
    }
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const answer = await fetch(state.target, { method: 'POST', headers, body })
    const text = await answer.text()
    const { access_token: token } = JSON.parse(text) as { access_token?: string }
    if (token !== undefined) state.issued.push(token)
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issued: string[] = []
  const state = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/oauth/token`,
    target: '',
    refuse: false,
    issued,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return state
}
