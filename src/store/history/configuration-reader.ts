import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { inflateRawSync } from 'node:zlib'
import { readStored } from '../../model/errors.ts'
import type { Database } from '../database.ts'
import type { NotedConfiguration } from './evidence-port.ts'

export interface StoredConfiguration extends Omit<NotedConfiguration, 'content'> {
  readonly id: number
  readonly content: Buffer
}

export function toConfiguration({ at, digest, content }: StoredConfiguration): NotedConfiguration {
  return { at, digest, content: readStored('recorded configuration', () => inflateRawSync(content).toString()) }
}

/** Reads recorded configurations one by one, oldest first: one of a thousand tenants has megabytes. */
export function configurationReader(database: Database): () => AsyncIterable<NotedConfiguration> {
  const next = database.prepare<[number], StoredConfiguration>(
    'select id, at, digest, content from configurations where id > ? order by id limit 1',
  )
  return async function* () {
    for (let after = 0; ; ) {
      const row = await database.read((tx) => next.get(tx, after))
      if (row === undefined) return
      yield toConfiguration(row)
      after = row.id
      await yieldToEventLoop()
    }
  }
}
