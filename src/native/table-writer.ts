// Writes what src-native/base/decoder.h reads: little-endian numbers, texts with a u32 length.

export class TableWriter {
  private readonly parts: Buffer[] = [];

  u8(value: number): this {
    return this.push(1, (bytes) => bytes.writeUInt8(value));
  }

  u16(value: number): this {
    return this.push(2, (bytes) => bytes.writeUInt16LE(value));
  }

  i16(value: number): this {
    return this.push(2, (bytes) => bytes.writeInt16LE(value));
  }

  u32(value: number): this {
    return this.push(4, (bytes) => bytes.writeUInt32LE(value));
  }

  i64(value: bigint): this {
    return this.push(8, (bytes) => bytes.writeBigInt64LE(value));
  }

  text(text: string): this {
    return this.block(Buffer.from(text, 'utf8'));
  }

  /** Bytes with their length before them. */
  block(bytes: Buffer): this {
    this.u32(bytes.length);
    return this.raw(bytes);
  }

  raw(bytes: Buffer): this {
    this.parts.push(bytes);
    return this;
  }

  list<Item>(items: readonly Item[], write: (item: Item) => void): this {
    this.u16(items.length);
    items.forEach(write);
    return this;
  }

  finish(): Buffer {
    return Buffer.concat(this.parts);
  }

  private push(size: number, write: (bytes: Buffer) => void): this {
    const bytes = Buffer.alloc(size);
    write(bytes);
    this.parts.push(bytes);
    return this;
  }
}

/** Texts stored once: one that is a part of another is a view into it. */
export class TextPool {
  private bytes = Buffer.alloc(0);
  private readonly known = new Map<string, { offset: number; length: number }>();

  /** Longer texts first find more. */
  add(text: string): { offset: number; length: number } {
    const found = this.known.get(text);
    if (found !== undefined) return found;
    const added = Buffer.from(text, 'utf8');
    let offset = this.bytes.indexOf(added);
    if (offset < 0) {
      offset = this.bytes.length;
      this.bytes = Buffer.concat([this.bytes, added]);
    }
    const place = { offset, length: added.length };
    this.known.set(text, place);
    return place;
  }

  finish(): Buffer {
    return this.bytes;
  }
}
