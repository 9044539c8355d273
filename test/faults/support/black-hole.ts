import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'

export interface BlackHole extends AsyncDisposable {
  readonly url: string
}

const listener = `
  const { parentPort } = require('node:worker_threads')
  const server = require('node:net').createServer()
  server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
    parentPort.postMessage(server.address().port)
    setTimeout(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20_000), 20)
  })
`

/** An address that takes no connection and refuses none: nobody accepts, and the queue of those who wait is full. */
export async function withoutAnswer(): Promise<BlackHole> {
  const worker = new Worker(listener, { eval: true })
  const [port] = (await once(worker, 'message')) as [number]
  await sleep(50)
  const waiting: Socket[] = []
  for (let stuck = 0; stuck < 2; ) {
    const socket = connect(port, '127.0.0.1').on('error', () => {})
    waiting.push(socket)
    const through = await Promise.race([once(socket, 'connect').then(() => true), sleep(60).then(() => false)])
    if (!through) stuck++
  }
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      for (const socket of waiting) socket.destroy()
      await worker.terminate()
    },
  }
}
