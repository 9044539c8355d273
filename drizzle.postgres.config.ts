import { defineConfig } from 'drizzle-kit'

export default defineConfig({
  dialect: 'postgresql',
  schema: './src/mirror/postgres/drizzle-kit.cjs',
  out: './drizzle/postgres',
})
