import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { createServer as createTlsServer } from 'node:tls'
import { expect, it } from 'vitest'
import { selfSigned } from '../support/certificate.ts'
import { listening } from '../support/listening.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { placeFor, program, simulate } from './support/program.ts'

/** Joins a connection with another one to a port of this machine; the end of one is that of the other. */
function bridge(one: Socket, port: number): void {
  const other = connect(port, '127.0.0.1')
  const end = () => {
    one.destroy()
    other.destroy()
  }
  for (const each of [one, other]) each.on('error', end).on('close', end)
  one.pipe(other).pipe(one)
}

it.each(['http', 'https'])(
  'the bundle reads an %s tenant through a proxy, with parts of its HTTP client',
  async (scheme) => {
    const simulator = await simulate()
    const certificate = selfSigned('127.0.0.1')
    const plainPort = Number(new URL(simulator.baseUrl).port)
    const encrypted = await listening(createTlsServer(certificate, (client) => bridge(client, plainPort)))
    const passed: string[] = []
    const proxy = createServer(({ url = '', method, headers }, response) => {
      passed.push('request')
      request(url, { method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(response)
      }).end()
    }).on('connect', (_, client: Socket) => {
      passed.push('tunnel')
      client.write('HTTP/1.1 200 OK\r\n\r\n')
      bridge(client, encrypted)
    })
    const place = placeFor(simulator, temporaryFolder())
    writeFileSync(join(place.folder, 'ca.pem'), certificate.cert)
    const file = join(place.folder, 'tenantwatch.yaml')
    const through = `requestsPerSecond: 0, caFile: ca.pem, proxy: "http://127.0.0.1:${await listening(proxy)}"`
    const text = readFileSync(file, 'utf8').replace('requestsPerSecond: 0', through)
    const baseUrl = scheme === 'http' ? simulator.baseUrl : `https://127.0.0.1:${encrypted}`
    writeFileSync(file, text.replace(simulator.baseUrl, baseUrl))
    const { code, stdout, stderr } = await program(place, 'sync', '--resource', 'roles').ended
    expect({ code, stdout, stderr }).toMatchObject({ code: 0 })
    expect(new Set(passed)).toEqual(new Set([scheme === 'http' ? 'request' : 'tunnel']))
  },
)
