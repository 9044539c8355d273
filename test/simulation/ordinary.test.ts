import { expect, it } from 'vitest'
import { dayMs, hourMs } from '../../src/model/durations.ts'
import { liveOrdinarily, type Scene } from './ordinary.ts'
import { chooseSizes } from './populate.ts'
import { createPrng } from './prng.ts'

const tiny = { users: 3, documents: 1, clients: 1, roles: 3 }

/** A new client in the place of the oldest one; the old one goes a step later, when both were listed together. */
function replaceClient({ world, maker, time }: Scene): () => void {
  const [oldest] = world.clients.live().toSorted((a, b) => a.createdAt - b.createdAt)
  if (oldest === undefined) throw new Error('A tenant always has a client')
  world.putClient({ ...maker.client(world, time.now), roleName: oldest.roleName })
  return () => world.remove('clients', oldest.clientId)
}

it('a tenant of 1 client, 1 document and 3 users causes no hold in a year of ordinary life', async () => {
  let removeOld = () => {}
  const alarms = await liveOrdinarily({
    seed: 1,
    sizes: tiny,
    steps: 122,
    stepMs: 3 * dayMs,
    async change(step, scene) {
      const { world, maker, machine, time } = scene
      const { now } = time
      const [user] = world.users.live()
      const [client] = world.clients.live()
      const [document] = world.documents.live()
      if (user === undefined || client === undefined || document === undefined) throw new Error('Somebody always stays')
      if (step % 15 === 6) world.putUser(maker.user(world, now))
      if (step % 15 === 7) world.remove('users', user.userId)
      if (step % 10 === 3) world.putUser({ ...user, mfaStatus: false })
      if (step % 10 === 4) world.putUser({ ...user, mfaStatus: true })
      if (step % 20 === 5) world.putClient({ ...client, secretExpirationDate: now + 120 * dayMs })
      if (step % 40 === 22) removeOld = replaceClient(scene)
      if (step % 40 === 23) removeOld()
      if (step % 13 === 8) world.putDocument({ ...document, updatedAt: now })
      if (step % 40 === 30) world.putDocument(maker.document(world, now))
      if (step % 40 === 31) world.remove('documents', document.fileId)
      if (step % 30 === 17) world.setRoles(world.roles.current.map((role) => ({ ...role, name: `${role.name}.` })))
      if (step % 9 !== 5) return
      await machine.crash()
      await machine.start()
    },
  })
  expect(alarms).toEqual([])
}, 1_200_000)

it('all clients of a tenant are rotated within a week without a hold', async () => {
  const pending: (() => void)[] = []
  const alarms = await liveOrdinarily({
    seed: 2,
    sizes: { ...tiny, clients: 7, documents: 6, users: 12 },
    steps: 7 * 6,
    stepMs: 4 * hourMs,
    change(step, scene) {
      for (const removeOld of pending.splice(0)) removeOld()
      if (step % 6 === 4) pending.push(replaceClient(scene))
    },
  })
  expect(alarms).toEqual([])
})

it('a fifth of the users leaving in a day is held, and goes through by accept', async () => {
  let held = 0
  const gone = new Set<number>()
  const alarms = await liveOrdinarily({
    seed: 3,
    sizes: { ...chooseSizes(createPrng(3), false), users: 40 },
    steps: 16,
    stepMs: hourMs,
    async change(step, { world, machine, time }) {
      if (step === 3) {
        for (const { userId } of world.users.live().slice(0, 8)) {
          gone.add(userId)
          world.remove('users', userId)
        }
      }
      if (step !== 8) return
      for (const { id, resource, reason } of await machine.mirror.holds()) {
        if (resource === 'users' && reason === 'shrink_held') held++
        await machine.mirror.decide({ holdId: id, reason: 'The department was sold', at: time.now })
      }
    },
  })
  expect(held).toBe(1)
  // Held from the first full sync that misses them to the first after the acceptance.
  const steps = alarms.map((line) => Number(/\d+/.exec(line)?.[0]))
  expect(Math.min(...steps)).toBeGreaterThanOrEqual(3)
  expect(Math.max(...steps)).toBeLessThan(11)
  expect(alarms.filter((line) => !/users|user-|api-client-role/.test(line))).toEqual([])
})
