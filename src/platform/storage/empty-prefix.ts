/** Deletes all objects whose keys begin like this. */
export async function emptyPrefix(bucket: R2Bucket, prefix: string): Promise<void> {
  for (;;) {
    const { objects } = await bucket.list({ prefix, limit: 1000 });
    if (objects.length === 0) return;
    await bucket.delete(objects.map(({ key }) => key));
  }
}
