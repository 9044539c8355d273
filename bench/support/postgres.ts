import pg from 'pg'

const variable = 'TEST_POSTGRES_URL'

interface PostgresDatabase extends AsyncDisposable {
  readonly url: URL
}

/**
 * Creates a database on the server; dropped on disposal.
 *
 * @throws Error that says how to start a server.
 */
export async function createDatabase(): Promise<PostgresDatabase> {
  const address = process.env[variable]
  if (address === undefined) throw new Error(`${variable} is not set: use .ci/with-postgres npm run bench -- postgres`)
  const name = `tenantwatch_bench_${process.pid}`
  const admin = new pg.Client({ connectionString: address })
  await admin.connect()
  await admin.query(`create database ${name}`)
  const url = new URL(address)
  url.pathname = `/${name}`
  return {
    url,
    async [Symbol.asyncDispose]() {
      await admin.query(`drop database ${name} with (force)`)
      await admin.end()
    },
  }
}
