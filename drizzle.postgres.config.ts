import { defineConfig } from 'drizzle-kit'

export default defineConfig({
  dialect: 'postgresql',
  schema: './tools/postgres-schema.cjs',
  out: './drizzle/postgres',
})
