import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { type AddressInfo, connect, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { createServer as createTlsServer } from 'node:tls'
import { expect, it, onTestFinished } from 'vitest'
import { startSimulator } from '../../src/simulator/index.ts'
import { selfSigned } from '../support/certificate.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { placeFor, program } from './support/program.ts'

/** A proxy that passes requests on and notes whom they were for. */
async function startProxy() {
  const passed: string[] = []
  const server = createServer(({ url = '', method, headers }, response) => {
    passed.push(new URL(url).host)
    const onward = request(url, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    onward.on('error', () => response.writeHead(502).end()).end()
  })
  server.on('connect', ({ url = '' }, client) => {
    passed.push(url)
    client.end('HTTP/1.1 502 Bad Gateway\r\n\r\n')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { passed, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

function change(folder: string, text: string, by: string): void {
  const file = join(folder, 'tenantwatch.yaml')
  writeFileSync(file, readFileSync(file, 'utf8').replace(text, by))
}

it('the bundle also sends requests through a proxy, although it contains only parts of its HTTP client', async () => {
  const simulator = await startSimulator({ controlPort: null })
  onTestFinished(() => simulator.close())
  const proxy = await startProxy()
  const place = placeFor(simulator, temporaryFolder())
  change(place.folder, 'requestsPerSecond: 0', `requestsPerSecond: 0, proxy: ${proxy.url}`)
  const { stderr, stdout } = await program(place, 'sync', '--resource', 'roles').ended
  expect(`${stdout}${stderr}`).not.toMatch(/TypeError/)
  expect(proxy.passed).toContain(new URL(simulator.baseUrl).host)
  expect(simulator.requests.filter(({ endpoint }) => endpoint === '/api/public/roles').length).toBeGreaterThan(0)
})

async function portOf(server: Server): Promise<number> {
  const open = new Set<Socket>()
  server.on('connection', (socket: Socket) => open.add(socket))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of open) socket.destroy()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

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

it('the bundle reads an encrypted tenant through a tunnel', async () => {
  const simulator = await startSimulator({ controlPort: null })
  onTestFinished(() => simulator.close())
  const certificate = selfSigned('127.0.0.1')
  const encrypted = createTlsServer(certificate, (client) => bridge(client, Number(new URL(simulator.baseUrl).port)))
  const port = await portOf(encrypted)
  let tunnels = 0
  const proxy = createServer().on('connect', (_, client: Socket) => {
    tunnels++
    client.write('HTTP/1.1 200 OK\r\n\r\n')
    bridge(client, port)
  })
  const place = placeFor(simulator, temporaryFolder())
  writeFileSync(join(place.folder, 'ca.pem'), certificate.cert)
  change(place.folder, simulator.baseUrl, `https://127.0.0.1:${port}`)
  const through = `caFile: ca.pem, proxy: "http://127.0.0.1:${await portOf(proxy)}"`
  change(place.folder, 'requestsPerSecond: 0', `requestsPerSecond: 0, ${through}`)
  const { code, stderr } = await program(place, 'sync', '--resource', 'roles').ended
  expect({ code, stderr }).toMatchObject({ code: 0 })
  expect(tunnels).toBeGreaterThan(0)
})
