import { Socket } from 'node:net'
import type { types as TypesOfDriver } from 'pg'
import { secondMs } from '../../model/durations.ts'
import type { Address } from '../db/postgres/address.ts'
import { parsers } from '../db/postgres/codec.ts'
import type { ParserOf } from './batch.ts'
import { guardedStream } from './guarded-stream.ts'

/** Longest wait for a connection, in milliseconds. */
export const connectMs = 10 * secondMs

/** Configuration of the driver without the password. @param types parsers of the driver. */
export function clientConfig({ host, port, user, database, tls }: Address, types: typeof TypesOfDriver) {
  return {
    host,
    port,
    user,
    database,
    ssl: tls ?? false,
    stream: () => guardedStream(new Socket()),
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    application_name: 'tenantwatch',
    types: { getTypeParser: parserOf(types) },
  }
}

export function parserOf(types: typeof TypesOfDriver): ParserOf {
  return (type) => parsers[type] ?? types.getTypeParser(type)
}
