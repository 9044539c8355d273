import { setImmediate as turn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { TransactionLimiter } from '../../src/store/sqlite/transaction-limiter.ts'

/** A limiter on a clock that only transactions move: each takes `costMs`. */
function gateOf(costMs: number) {
  let ms = 0
  let turns = 0
  const log: string[] = []
  const limiter = new TransactionLimiter({ monotonic: () => ms })
  const transact = async (name: string) => {
    for (let later = limiter.later(); later !== null; later = limiter.later()) await later
    log.push(`${name} in turn ${turns}`)
    ms += costMs
  }
  const untilTurn = async (last: number) => {
    while (turns < last) {
      await turn()
      turns++
    }
  }
  return { log, transact, untilTurn }
}

it('lets transactions of one turn of the event loop pass until they have taken 20 ms, the rest in later turns in order', async () => {
  const { log, transact, untilTurn } = gateOf(8)
  const counted = untilTurn(4)
  await Promise.all(['a', 'b', 'c', 'd', 'e', 'f', 'g'].map(transact))
  await counted
  const turnsOf = log.map((line) => line.replace(' in turn', ''))
  expect(turnsOf.map((line) => line[0])).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g'])
  const counts = Object.values(Object.groupBy(turnsOf, (line) => line.slice(2))).map((lines) => lines?.length)
  expect(counts).toEqual([3, 3, 1])
})

it('makes nothing wait while transactions are short', async () => {
  const { log, transact } = gateOf(0.1)
  await Promise.all(Array.from({ length: 150 }, (_, i) => transact(String(i))))
  expect(new Set(log.map((line) => line.split(' in ')[1]))).toEqual(new Set(['turn 0']))
})

it('admits at least one transaction a turn, however long each takes', async () => {
  const { log, transact, untilTurn } = gateOf(500)
  const counted = untilTurn(5)
  await Promise.all(['a', 'b', 'c'].map(transact))
  await counted
  expect(log.map((line) => line[0])).toEqual(['a', 'b', 'c'])
  expect(new Set(log.map((line) => line.split(' in ')[1])).size).toBe(3)
})
